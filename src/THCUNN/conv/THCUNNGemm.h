/* cuBLAS's products of the template's type. */
#ifndef THCUNN_GEMM_H
#define THCUNN_GEMM_H

#if defined(THC_REAL_IS_DOUBLE)
#define gemm     THCudaBlas_Dgemm
#define gemmMany THCudaBlas_DgemmStridedBatched
#elif defined(THC_REAL_IS_HALF)
#define gemm     THCudaBlas_Hgemm
#define gemmMany THCudaBlas_HgemmStridedBatched
#else
#define gemm     THCudaBlas_Sgemm
#define gemmMany THCudaBlas_SgemmStridedBatched
#endif

#endif
