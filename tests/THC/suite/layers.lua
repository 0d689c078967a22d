-- Layers of THCUNN next to those of THNN: each function is called on both with the same random tensors, which the
-- declarations name, for a batch and for one sample, with operands of any layout.
--
-- usage: luajit layers.lua PROJECT ERA libTH libTHNN libTHC libTHCUNN
local here = arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path
local M = require 'common'
M.open(arg)

-- What arguments of these names are, where a layer does not say otherwise.
local usual = {
  sizeAverage = true, sizeaverage = true, reduce = true, scale = 0.75, inplace = false, train = true, momentum = 0.1,
  eps = 1e-5, ignore_index = -100, ceil_mode = false, ceilMode = false, count_include_pad = true, margin = 1, p = 1,
  dim = 1, alpha = 0.9, weightDecay = 0, padding_mode = 0,
  dT = 1, dW = 1, dH = 1, padT = 0, padW = 0, padH = 0, dilationT = 1, dilationW = 1, dilationH = 1, adjT = 0, adjW = 0,
  adjH = 0, mode = 0, scaleGradByFreq = false, paddingValue = -1,
}
-- Tensors in which a function computes; what is there afterwards is not said.
local scratch = { columns = true, ones = true, finput = true, fgradInput = true, gradWeightBuf = true, gradWeightBuf2 = true,
                  gradColumns = true, buffer = true, istarget = true, noise = true, saveMean = true, saveStd = true }

local function t(shape, domain)
  shape.domain = domain
  return shape
end
local function classes(shape, n)
  shape.classes = n
  return shape
end
local function layer(name)
  return function(row)
    row.name = name
    return row
  end
end

local image, volume, line = { 2, 3, 7, 8 }, { 2, 2, 5, 6, 7 }, { 2, 9, 4 }
local layers = {
  layer 'Abs' { input = image }, layer 'Square' { input = image }, layer 'Tanh' { input = image },
  layer 'Sigmoid' { input = image }, layer 'LogSigmoid' { input = image },
  layer 'Sqrt' { input = t({ 2, 3, 4 }, 'positive'), eps = 0 },
  layer 'HardTanh' { input = image, min_val = -1, max_val = 0.5 },
  layer 'ELU' { input = image }, layer 'LeakyReLU' { input = image, negval = 0.1 },
  layer 'SoftPlus' { input = image, beta = 1.5, threshold = 2 }, layer 'SoftShrink' { input = image, lambda = 0.5 },
  layer 'Threshold' { input = image, threshold = 0.1, val = 0.3 },
  layer 'Threshold' { input = image, threshold = 0.1, val = 0.3, inplace = true },
  layer 'RReLU' { input = image, lower = 0.1, upper = 0.3, train = false },
  layer 'PReLU' { input = image, weight = { 3 }, nOutputPlane = 3, single = false },
  layer 'PReLU' { input = image, weight = { 1 }, nOutputPlane = 0 },
  layer 'GatedLinear' { input = { 3, 4, 6 }, dim = 'last', single = false },
  layer 'SoftMax' { input = { 3, 5 }, single = false }, layer 'SoftMax' { input = { 2, 3, 4, 5 }, single = false },
  layer 'SoftMax' { input = { 2, 1500 }, single = false },
  layer 'LogSoftMax' { input = { 3, 5 }, single = false }, layer 'LogSoftMax' { input = { 2, 3, 4, 5 }, single = false },
  layer 'LogSoftMax' { input = { 2, 1500 }, single = false },

  layer 'AbsCriterion' { input = image, target = image }, layer 'MSECriterion' { input = image, target = image },
  layer 'MSECriterion' { input = { 2, 3, 41, 43 }, target = { 2, 3, 41, 43 }, sizeAverage = false },
  layer 'SmoothL1Criterion' { input = image, target = image },
  layer 'DistKLDivCriterion' { input = image, target = t({ 2, 3, 7, 8 }, 'probability') },
  layer 'BCECriterion' { input = t({ 4, 3 }, 'probability'), target = t({ 4, 3 }, 'probability'), weights = { 4, 3 } },
  layer 'BCECriterion' { input = t({ 4, 3 }, 'probability'), target = t({ 4, 3 }, 'probability'), weights = false },
  layer 'SoftMarginCriterion' { input = image, target = t({ 2, 3, 7, 8 }, 'binary') },
  layer 'MarginCriterion' { input = image, target = t({ 2, 3, 7, 8 }, 'binary') },
  layer 'L1Cost' { input = image, plain = true },
  layer 'ClassNLLCriterion' { input = { 6, 5 }, target = classes({ 6 }, 5), weights = { 5 }, total_weight = { 1 } },
  layer 'ClassNLLCriterion' { input = { 2500, 5 }, target = classes({ 2500 }, 5), weights = false, total_weight = { 1 },
                              single = false },
  layer 'SpatialClassNLLCriterion' { input = { 2, 5, 3, 4 }, target = classes({ 2, 3, 4 }, 5), weights = { 5 },
                                     total_weight = { 1 }, single = false },
  layer 'MultiMarginCriterion' { input = { 6, 5 }, target = classes({ 6 }, 5), weights = { 5 } },
  layer 'MultiMarginCriterion' { input = { 6, 5 }, target = classes({ 6 }, 5), weights = false, p = 2 },
  layer 'MultiLabelMarginCriterion' { input = { 6, 5 }, target = classes({ 6, 5 }, 5) },

  layer 'BatchNormalization' { input = { 4, 3 }, weight = { 3 }, bias = { 3 }, runningMean = { 3 },
                               runningVar = t({ 3 }, 'positive'), single = false },
  layer 'BatchNormalization' { input = { 4, 3, 5, 6 }, weight = { 3 }, bias = { 3 }, runningMean = { 3 },
                               runningVar = t({ 3 }, 'positive'), single = false },
  layer 'BatchNormalization' { input = { 4, 3, 5 }, weight = false, bias = false, runningMean = { 3 },
                               runningVar = t({ 3 }, 'positive'), train = false, single = false },

  layer 'LookupTable' { input = classes({ 3, 4 }, 7), gradOutput = { 3, 4, 5 }, gradWeight = { 7, 5 }, count = { 7 }, sorted = {},
                        indices = {}, single = false, paddingValue = 2 },
  layer 'LookupTable' { input = classes({ 40 }, 7), gradOutput = { 40, 5 }, gradWeight = { 7, 5 }, count = { 7 }, sorted = {},
                        indices = {}, single = false, scaleGradByFreq = true },
  layer 'LookupTable' { idx = classes({ 5 }, 7), weight = { 7, 5 }, maxNorm = 1, normType = 2, single = false,
                        only = 'renorm' },

  layer 'SpatialConvolutionMM' { input = image, weight = { 4, 27 }, bias = { 4 }, kW = 3, kH = 3, padW = 1, padH = 1 },
  layer 'SpatialConvolutionMM' { input = image, weight = { 4, 18 }, bias = { 4 }, kW = 2, kH = 3, dW = 2, dH = 3, padH = 2 },
  layer 'SpatialConvolutionMM' { input = image, weight = { 5, 3 }, bias = false, kW = 1, kH = 1 },
  layer 'SpatialConvolutionLocal' { input = { 2, 3, 5, 6 }, weight = { 12, 4, 27 }, bias = { 4, 3, 4 }, kW = 3, kH = 3,
                                    inputWidth = 6, inputHeight = 5, outputWidth = 4, outputHeight = 3 },
  layer 'SpatialDilatedConvolution' { input = image, weight = { 4, 3, 2, 3 }, bias = { 4 }, kW = 3, kH = 2, padW = 1,
                                      dilationW = 2, dilationH = 3 },
  layer 'SpatialFullConvolution' { input = image, weight = { 3, 4, 2, 3 }, bias = { 4 }, kW = 3, kH = 2, dW = 2, dH = 2,
                                   padW = 1, adjW = 1 },
  layer 'SpatialFullDilatedConvolution' { input = image, weight = { 3, 4, 2, 3 }, bias = { 4 }, kW = 3, kH = 2, dW = 2,
                                          padW = 1, dilationW = 2, dilationH = 2 },
  layer 'SpatialSubSampling' { input = image, weight = { 3 }, bias = { 3 }, kW = 2, kH = 3, dW = 2, dH = 2 },
  layer 'TemporalConvolution' { input = line, weight = { 5, 12 }, bias = { 5 }, kW = 3, dW = 2, inputFrameSize = 4,
                                outputFrameSize = 5 },
  layer 'TemporalRowConvolution' { input = line, weight = { 4, 3 }, bias = { 4 }, kW = 3, dW = 1, featFirst = false },
  layer 'TemporalRowConvolution' { input = { 2, 4, 9 }, weight = { 4, 3 }, bias = { 4 }, kW = 3, dW = 1, featFirst = true },
  layer 'VolumetricDilatedConvolution' { input = volume, weight = { 3, 2, 2, 3, 2 }, bias = { 3 }, kT = 2, kW = 2, kH = 3,
                                         dW = 2, padT = 1, dilationH = 2 },
  layer 'VolumetricFullConvolution' { input = volume, weight = { 2, 3, 2, 3, 2 }, bias = { 3 }, kT = 2, kW = 2, kH = 3,
                                      dW = 2, dH = 2, padT = 1, adjW = 1 },
  layer 'VolumetricFullDilatedConvolution' { input = volume, weight = { 2, 3, 2, 3, 2 }, bias = { 3 }, kT = 2, kW = 2,
                                             kH = 3, dW = 2, padT = 1, dilationT = 2 },

  layer 'SpatialMaxPooling' { input = image, kW = 2, kH = 3, dW = 2, dH = 2 },
  layer 'SpatialMaxPooling' { input = image, kW = 3, kH = 3, dW = 2, dH = 2, padW = 1, padH = 1, ceil_mode = true },
  layer 'SpatialDilatedMaxPooling' { input = image, kW = 2, kH = 2, dilationW = 2, dilationH = 3 },
  layer 'SpatialAveragePooling' { input = image, kW = 3, kH = 2, dW = 2, dH = 2, padW = 1, padH = 1 },
  layer 'SpatialAveragePooling' { input = image, kW = 3, kH = 2, dW = 2, dH = 2, padW = 1, ceil_mode = true,
                                  count_include_pad = false },
  layer 'SpatialAdaptiveMaxPooling' { input = image, osizeW = 3, osizeH = 4 },
  layer 'SpatialAdaptiveAveragePooling' { input = image, osizeW = 3, osizeH = 4 },
  layer 'SpatialFractionalMaxPooling' { input = image, outputW = 4, outputH = 3, poolSizeW = 2, poolSizeH = 2,
                                        randomSamples = t({ 2, 3, 2 }, 'probability') },
  layer 'SpatialMaxUnpooling' { input = { 2, 3, 2, 3 }, indices = { 2, 3, 2, 3, unpooled = true }, owidth = 6, oheight = 5 },
  layer 'FeatureLPPooling' { input = { 2, 6, 3, 4 }, power = 2, width = 3, stride = 2, batchMode = true, single = false },
  layer 'TemporalMaxPooling' { input = line, kW = 3, dW = 2 },
  layer 'VolumetricMaxPooling' { input = volume, kT = 2, kW = 3, kH = 2, dT = 2, dW = 2, dH = 2, padW = 1 },
  layer 'VolumetricDilatedMaxPooling' { input = volume, kT = 2, kW = 3, kH = 2, dT = 2, dilationH = 2 },
  layer 'VolumetricAveragePooling' { input = volume, kT = 2, kW = 3, kH = 2, dT = 2, dW = 2, dH = 2, padW = 1 },
  layer 'VolumetricFractionalMaxPooling' { input = volume, outputT = 2, outputW = 3, outputH = 2, poolSizeT = 2,
                                           poolSizeW = 2, poolSizeH = 2, randomSamples = t({ 2, 2, 3 }, 'probability') },
  layer 'VolumetricMaxUnpooling' { input = { 2, 2, 2, 3, 3 }, indices = { 2, 2, 2, 3, 3, unpooled = true }, outputTime = 4,
                                   outputWidth = 6, outputHeight = 6, dT = 2, dW = 2, dH = 2 },

  layer 'SpatialReflectionPadding' { input = image, padL = 1, padR = 2, padT = 3, padB = 1 },
  layer 'SpatialReplicationPadding' { input = image, padL = 1, padR = 2, padT = 3, padB = 1 },
  layer 'VolumetricReplicationPadding' { input = volume, pleft = 1, pright = 2, ptop = 0, pbottom = 1, pfront = 2, pback = 1 },
  layer 'SpatialUpSamplingNearest' { input = image, scale_factor = 2 },
  layer 'VolumetricUpSamplingNearest' { input = volume, scale_factor = 2 },
  layer 'SpatialUpSamplingBilinear' { input = image, outputHeight = 10, outputWidth = 13, nbatch = 2, nchannels = 3,
                                      inputHeight = 7, inputWidth = 8, single = false },
  layer 'VolumetricUpSamplingTrilinear' { input = volume, outputDepth = 7, outputHeight = 8, outputWidth = 9, nbatch = 2,
                                          nchannels = 2, inputDepth = 5, inputHeight = 6, inputWidth = 7, single = false },
}
-- Layers that Torch7 does not have.
local later = {
  layer 'Im2Col' { input = image, kH = 2, kW = 3, sH = 2, sW = 1, padH = 1, inputHeight = 7, inputWidth = 8, single = false },
  layer 'Col2Im' { input = { 2, 6, 12 }, kH = 2, kW = 3, sH = 1, sW = 1, outputHeight = 4, outputWidth = 6, single = false },
  layer 'TemporalReflectionPadding' { input = line, padL = 2, padR = 1 },
  layer 'TemporalReplicationPadding' { input = line, padL = 2, padR = 1 },
  layer 'TemporalUpSamplingNearest' { input = line, scale_factor = 3 },
  layer 'TemporalUpSamplingLinear' { input = line, outputWidth = 7, nbatch = 2, nchannels = 9, inputWidth = 4,
                                     single = false },
  layer 'VolumetricAdaptiveMaxPooling' { input = volume, osizeT = 2, osizeW = 3, osizeH = 4 },
  layer 'VolumetricAdaptiveAveragePooling' { input = volume, osizeT = 2, osizeW = 3, osizeH = 4 },
  layer 'SpatialGridSamplerBilinear' { input = image, grid = { 2, 4, 5, 2 }, gradGrid = {}, single = false },
  layer 'VolumetricGridSamplerBilinear' { input = volume, grid = { 2, 3, 4, 2, 3 }, gradGrid = {}, padding_mode = 1,
                                          single = false },
}
if M.era == 'aten2018' then
  for _, row in ipairs(later) do
    layers[#layers + 1] = row
  end
end

-- ---- calls -------------------------------------------------------------------------------------

local functions = { 'updateOutput', 'updateGradInput', 'accGradParameters', 'backward', 'renorm' }

-- The names of a function's arguments after the state; which are tensors, and of which type, if not of the layer's.
local function names_of(row)
  local names = {}
  for text in row.arguments:gmatch '[^,]+' do
    local name = text:match '([%w_]+)%s*$':gsub('TH$', ''):gsub('_$', '')
    if name ~= 'state' then
      names[#names + 1] = { name = name, tensor = text:match 'Tensor' ~= nil,
                            of = text:match 'Index' and 'Long' or text:match 'Integer' and 'Int' }
    end
  end
  return names
end

local function copy(shape)
  return { unpack(shape) }
end

local called = {}

local function value_of(row, domain)
  if domain and domain.classes then
    return function() return M.integer(0, domain.classes - 1) + M.base end
  elseif domain and domain.unpooled then -- every window of 4 elements names one of them
    return function(_, i) return (i * 5) % 24 + M.base end
  end
  return domain and domain.domain
end

-- The pair of an argument, made when a function first asks for it.
local function pair_of(row, T, made, a, single)
  local name = a.name
  if made[name] then
    return made[name]
  end
  local shape = row[name]
  local layout = M.layouts[M.integer(1, 4)]
  if not shape and name:match '^grad' and not (name == 'gradOutput') then -- sums start somewhere; gradients of inputs do not
    local of = name:sub(5, 5):lower() .. name:sub(6)
    if of ~= 'input' and made[of] ~= nil then
      shape, layout = made[of] and M.shape(made[of]), 'whole'
      if not made[of] then
        return nil
      end
    elseif of ~= 'input' then
      shape = row[of]
      if shape == false then
        return nil
      end
    end
  elseif name == 'gradOutput' and not shape then
    shape = M.shape(made.output)
  elseif shape and single and (name == 'input' or name == 'target' or name == 'weights' and row.name:match '^BCE' or
                               name == 'indices' or name == 'randomSamples') then
    local whole = shape
    shape = { domain = whole.domain, classes = whole.classes, unpooled = whole.unpooled, unpack(whole, 2) }
    if name == 'randomSamples' or #shape == 0 then
      shape = { domain = whole.domain, classes = whole.classes, 1, unpack(whole, 2) }
    end
  end
  if name == 'gradOutput' and row.plain then
    return nil
  end
  local p = M.pair(a.of or T, shape and copy(shape), shape and layout, value_of(row, row[name] or nil))
  made[name] = p
  return p
end

local function call(row, T, name, made, single)
  local full = ('THNN_(%s_%s)'):format(row.name, name)
  local gpu, cpu = M.find('thcunn', full, T, true), M.find('thnn', full, M.reference[T], false)
  if not gpu or not cpu then
    return
  end
  local names, others = names_of(gpu.row), names_of(cpu.row)
  local host, there, used = {}, {}, {}
  for i, a in ipairs(names) do
    local v = row[a.name]
    if a.name == 'generator' then
      v = nil
    elseif a.tensor and v ~= false then
      local p = pair_of(row, T, made, a, single)
      host[i], there[i] = p and p.cpu, p and p.gpu
      used[a.name] = p
      if a.of ~= others[i].of then -- scratch, and of another type on the CPU
        used[a.name] = nil
        made[a.name .. '.cpu'] = M.pair(others[i].of or T, row[a.name])
        host[i] = made[a.name .. '.cpu'].cpu
      end
    elseif a.tensor then
      v = nil
    else
      if v == nil then
        v = usual[a.name]
      end
      assert(v ~= nil, full .. ' has an argument ' .. a.name)
      if v == 'last' then
        v = #M.shape(made.input or used.input) - 1 + M.base
      end
      host[i], there[i] = v, v
    end
  end
  local n = #names
  local good, want = pcall(function() return cpu.f(nil, unpack(host, 1, n)) end)
  local well, got = pcall(function() return gpu.f(M.state, unpack(there, 1, n)) end)
  local where = ('%s_%s of %s, %s'):format(row.name, name, T, single and 'one sample' or 'batch')
  M.check(good and well, '%s: CPU %s, device %s', where, good and 'well' or tostring(want), well and 'well' or tostring(got))
  if not (good and well) then
    return
  end
  called[row.name] = true
  for argument, p in pairs(used) do
    if not scratch[argument] and M.shape(p)[1] then
      local problem = M.difference(p, T == 'Half' and 4 or 10)
      M.check(not problem, '%s: %s: %s', where, argument, tostring(problem))
    end
  end
end

local only, types = os.getenv 'SUITE_ONLY', os.getenv 'SUITE_TYPES' or 'Float Double Half'
for _ = 1, tonumber(os.getenv 'SUITE_ROUNDS') or 1 do
  for _, row in ipairs(layers) do
    for T in types:gmatch '%u%l+' do
      if not only or only == row.name then
        for _, single in ipairs { false, row.single ~= false } do
          local made = {}
          if single or row.single == nil or row.single == false then
            for _, name in ipairs(functions) do
              if not row.only and name ~= 'renorm' or row.only == name then
                call(row, T, name, made, single)
              end
            end
          end
        end
      end
    end
  end
end
for _, row in ipairs(layers) do
  if not only then
    M.check(called[row.name], '%s was not called', row.name)
  end
end
local status = M.finish 'layers'
M.close()
os.exit(status)
