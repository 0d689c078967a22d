-- Reads the declarations of TH.h and uses some of them, as a binding for LuaJIT does.
local ffi = require 'ffi'
local declarations, library = arg[1], arg[2]

ffi.cdef 'typedef struct { long opaque[64]; } jmp_buf[1]; typedef struct FILE FILE;'
ffi.cdef(io.open(declarations):read('*a'))
local TH = ffi.load(library)

for _, name in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half' } do
  local tensor, storage = 'TH' .. name .. 'Tensor', 'TH' .. name .. 'Storage'
  assert(ffi.sizeof(tensor) == 48 and ffi.sizeof(storage) == 48)
  assert(ffi.offsetof(tensor, 'storage') == 24 and ffi.offsetof(tensor, 'flag') == 44)
  assert(ffi.offsetof(storage, 'flag') == 20 and ffi.offsetof(storage, 'view') == 40)

  local t = TH[tensor .. '_newWithSize2d'](2, 3)
  local s = TH[tensor .. '_storage'](t)
  assert(t.nDimension == 2 and t.size[1] == 3 and t.stride[0] == 3 and s.size == 6)
  local view = TH[tensor .. '_newSelect'](t, 0, 1)
  assert(view.storage == s and view.storageOffset == 3 and s.refcount == 2)
  TH[tensor .. '_free'](view)
  TH[tensor .. '_free'](t)
end

assert(ffi.sizeof('THGenerator') == 5048 and ffi.sizeof('THAllocator') == 24)
assert(TH.TH_half2float(TH.TH_float2half(2.5)) == 2.5)
print('read and called by ' .. jit.version)
