# Headers of layers that are made of others.  Programs read them as texts, with parsers of their own, so each is one file
# without conditions.

# The declarations of the CPU's layers in the text of a variable become those of a device.
function(th_to_device of)
  set(device "${${of}}")
  string(REPLACE "THNNState *state, " "THCState *state,  " device "${device}")
  string(REPLACE "THIndex_t" "int64_t" device "${device}")
  string(REGEX REPLACE "TH(Tensor|IndexTensor|IntegerTensor) ([^\n/]*)  //" "THC\\1 \\2 //" device "${device}")
  set(${of} "${device}" PARENT_SCOPE)
endfunction()

# Of the declarations in the text of a variable, those of functions that another one names are taken out, and its own are
# added under a title.
function(th_replace_forms of by title)
  set(rest "${${of}}")
  set(others "${${by}}")
  string(REGEX MATCHALL "THNN_\\([A-Za-z0-9_]+" names "${others}")
  list(REMOVE_DUPLICATES names)
  foreach(name IN LISTS names)
    string(REPLACE "THNN_(" "" name ${name})
    # A declaration is its first line and those that are indented behind it.
    string(REGEX REPLACE "TH_API void THNN_\\(${name}\\)\\(\n( [^\n]*\n)+" "" rest "${rest}")
  endforeach()
  # Comments on functions that have gone stand before an empty line.
  string(REGEX REPLACE "\n(//[^\n]*\n)+\n" "\n" rest "${rest}")
  string(REGEX REPLACE "\n\n\n+" "\n\n" rest "${rest}")
  string(REPLACE "/* clang-format on */\n" "" rest "${rest}")
  string(REGEX REPLACE "^/\\*[^/]*\\*/\n+/\\* clang-format off \\*/\n" "" others "${others}")
  set(${of} "${rest}/* --- ${title} --- */\n${others}" PARENT_SCOPE)
endfunction()

# The text of a file, which configures the project again when it changes.
function(th_read variable file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  set(${variable} "${text}" PARENT_SCOPE)
endfunction()

# The header of a device's layers: those of THNN, but for what devices declare otherwise.
function(th_device_layers plain forms header)
  th_read(text ${plain})
  th_read(others ${forms})
  th_to_device(text)
  string(REGEX REPLACE "^/\\*[^/]*\\*/\n" "/* Layers and losses on a device: those of THNN with the state in front, of whose header the build has made this one.\n * One argument a line: programs read these declarations with parsers of their own. */\n" text "${text}")
  th_replace_forms(text others "what devices declare otherwise, or have besides")
  file(CONFIGURE OUTPUT ${header} CONTENT "${text}" @ONLY)
endfunction()

# The header of layers of a build with TH_COMPAT=torch7: that of 2018, in which Torch7's forms stand for
# what Torch7 declares otherwise.  With DEVICE the header is THCUNN's, and the forms are made those of devices.
function(th_torch7_layers plain forms header)
  th_read(text ${plain})
  th_read(torch7 ${forms})
  if(ARGN STREQUAL "DEVICE")
    th_to_device(torch7)
  endif()
  th_replace_forms(text torch7 "where Torch7 differs from 2018: losses are one number, gradients those of that number")
  file(CONFIGURE OUTPUT ${header} CONTENT "${text}" @ONLY)
endfunction()
