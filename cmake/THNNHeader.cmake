# The header of layers of a build with TH_COMPAT=torch7: that of 2018, in which Torch7's forms stand for
# what Torch7 declares otherwise.  Programs read it as a text, with parsers of their own, so it is one
# file without conditions.  With DEVICE the header is THCUNN's, and the forms are made those of devices.
function(th_torch7_layers plain forms header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${plain} ${forms})
  file(READ ${plain} text)
  file(READ ${forms} torch7)
  if(ARGN STREQUAL "DEVICE")
    string(REPLACE "THNNState *state, " "THCState *state,  " torch7 "${torch7}")
    string(REPLACE "THIndex_t" "int64_t" torch7 "${torch7}")
    string(REGEX REPLACE "TH(Tensor|IndexTensor) ([^\n/]*)  //" "THC\\1 \\2 //" torch7 "${torch7}")
  endif()
  string(REGEX MATCHALL "THNN_\\([A-Za-z0-9_]+" names "${torch7}")
  foreach(name IN LISTS names)
    string(REPLACE "THNN_(" "" name ${name})
    # A declaration is its first line and those that are indented behind it.
    string(REGEX REPLACE "TH_API void THNN_\\(${name}\\)\\(\n( [^\n]*\n)+" "" text "${text}")
  endforeach()
  # Comments on functions that have gone stand before an empty line.
  string(REGEX REPLACE "\n(//[^\n]*\n)+\n" "\n" text "${text}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" text "${text}")
  string(REPLACE "/* clang-format on */\n" "" text "${text}")
  string(REGEX REPLACE "^/\\*[^/]*\\*/\n+/\\* clang-format off \\*/\n" "" torch7 "${torch7}")
  file(CONFIGURE OUTPUT ${header} CONTENT "${text}/* --- where Torch7 differs from 2018: losses are one number, gradients those of that number --- */\n${torch7}" @ONLY)
endfunction()
