/* OpenBLAS, called directly: the library that TH loads. */
#ifndef BENCH_PEERS_TORCH_BLAS_H
#define BENCH_PEERS_TORCH_BLAS_H

namespace peers
{

/* The functions of OpenBLAS; NULL without that library.  The first call loads it, and has to come before any of TH's:
 * PyTorch exports functions of the same names, which must not replace its own. */
struct Blas {
  void *handle;
  template <class Function>
  Function *find(const char *name) const
  {
    return reinterpret_cast<Function *>(symbol(name));
  }

 private:
  void *symbol(const char *name) const;
};
const Blas *blas();

}  // namespace peers
#endif
