/* In builds with TH_COMPAT=torch7, the 2018 forms of functions that Torch7 declares otherwise get
 * these names.  Undone by THNNRenameEnd.h. */
#define AbsCriterion_updateOutput                   AbsCriterion_updateOutput_2018
#define AbsCriterion_updateGradInput                AbsCriterion_updateGradInput_2018
#define BCECriterion_updateOutput                   BCECriterion_updateOutput_2018
#define BCECriterion_updateGradInput                BCECriterion_updateGradInput_2018
#define ClassNLLCriterion_updateOutput              ClassNLLCriterion_updateOutput_2018
#define ClassNLLCriterion_updateGradInput           ClassNLLCriterion_updateGradInput_2018
#define SpatialClassNLLCriterion_updateOutput       SpatialClassNLLCriterion_updateOutput_2018
#define SpatialClassNLLCriterion_updateGradInput    SpatialClassNLLCriterion_updateGradInput_2018
#define ELU_updateOutput                            ELU_updateOutput_2018
#define ELU_updateGradInput                         ELU_updateGradInput_2018
#define DistKLDivCriterion_updateOutput             DistKLDivCriterion_updateOutput_2018
#define DistKLDivCriterion_updateGradInput          DistKLDivCriterion_updateGradInput_2018
#define LogSoftMax_updateOutput                     LogSoftMax_updateOutput_2018
#define LogSoftMax_updateGradInput                  LogSoftMax_updateGradInput_2018
#define SoftMarginCriterion_updateOutput            SoftMarginCriterion_updateOutput_2018
#define SoftMarginCriterion_updateGradInput         SoftMarginCriterion_updateGradInput_2018
#define MSECriterion_updateOutput                   MSECriterion_updateOutput_2018
#define MSECriterion_updateGradInput                MSECriterion_updateGradInput_2018
#define MultiLabelMarginCriterion_updateOutput      MultiLabelMarginCriterion_updateOutput_2018
#define MultiLabelMarginCriterion_updateGradInput   MultiLabelMarginCriterion_updateGradInput_2018
#define MultiMarginCriterion_updateOutput           MultiMarginCriterion_updateOutput_2018
#define MultiMarginCriterion_updateGradInput        MultiMarginCriterion_updateGradInput_2018
#define PReLU_updateOutput                          PReLU_updateOutput_2018
#define PReLU_updateGradInput                       PReLU_updateGradInput_2018
#define PReLU_accGradParameters                     PReLU_accGradParameters_2018
#define Sigmoid_updateGradInput                     Sigmoid_updateGradInput_2018
#define SmoothL1Criterion_updateOutput              SmoothL1Criterion_updateOutput_2018
#define SmoothL1Criterion_updateGradInput           SmoothL1Criterion_updateGradInput_2018
#define SoftMax_updateOutput                        SoftMax_updateOutput_2018
#define SoftMax_updateGradInput                     SoftMax_updateGradInput_2018
#define Tanh_updateGradInput                        Tanh_updateGradInput_2018
#define SpatialGridSamplerBilinear_updateOutput     SpatialGridSamplerBilinear_updateOutput_2018
#define SpatialGridSamplerBilinear_updateGradInput  SpatialGridSamplerBilinear_updateGradInput_2018
#define VolumetricConvolutionMM_updateOutput        VolumetricConvolutionMM_updateOutput_2018
#define VolumetricConvolutionMM_accGradParameters   VolumetricConvolutionMM_accGradParameters_2018
#define VolumetricFullConvolution_updateOutput      VolumetricFullConvolution_updateOutput_2018
#define VolumetricFullConvolution_updateGradInput   VolumetricFullConvolution_updateGradInput_2018
#define VolumetricFullConvolution_accGradParameters VolumetricFullConvolution_accGradParameters_2018
#define VolumetricFullDilatedConvolution_updateOutput \
  VolumetricFullDilatedConvolution_updateOutput_2018
#define VolumetricFullDilatedConvolution_updateGradInput \
  VolumetricFullDilatedConvolution_updateGradInput_2018
#define VolumetricFullDilatedConvolution_accGradParameters \
  VolumetricFullDilatedConvolution_accGradParameters_2018
