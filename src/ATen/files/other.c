/* Messages for files of other formats. */
#include "Files.h"

#define IN_PYTHON "; in Python, "
#define SAVE_NPZ  "numpy.savez(\"weights.npz\", **arrays) saves them for here"
#define PACKED(BY)                                                 \
  "this is compressed by " BY                                      \
  ": unpack it first (what is deflated inside .npz is read as it " \
  "is)"
#define PICTURE                                                                      \
  "this is a picture, which is not decoded here (`th run` takes pictures)" IN_PYTHON \
  "numpy.save(\"image.npy\", numpy.asarray(PIL.Image.open(path))) saves its pixels"
#define ROW(OFFSET, BYTES, SENTENCE) {OFFSET, sizeof BYTES - 1, BYTES, SENTENCE}

static const char *const gguf =
    "this is a model of ggml or llama.cpp (GGUF), which is not read here" IN_PYTHON
    "gguf.GGUFReader(path).tensors has its arrays, and " SAVE_NPZ;

static const struct {
  size_t offset, length;
  const char *bytes, *sentence;
} others[] = {
    ROW(0, "GGUF", NULL),
    ROW(0, "lmgg", NULL),
    ROW(0, "tjgg", NULL),
    ROW(0, "fmgg", NULL),
    ROW(0, "\x89HDF\r\n\x1a\n",
        "this is an HDF5 file (Keras, h5py, MATLAB 7.3), which is not read here" IN_PYTHON
        "h5py.File(path) has its arrays, and " SAVE_NPZ),
    ROW(0, "MATLAB 5.0 MAT-file",
        "this is a file of MATLAB, which is not read here" IN_PYTHON
        "scipy.io.loadmat(path) has its arrays, and " SAVE_NPZ),
    ROW(4, "TFL3",
        "this is a model of TensorFlow Lite, which is not read here" IN_PYTHON
        "tensorflow.lite.Interpreter(path) has its tensors, and " SAVE_NPZ),
    ROW(0, "\x89PNG\r\n\x1a\n", PICTURE),
    ROW(0, "\xff\xd8\xff", PICTURE),
    ROW(0, "PAR1", "this is a Parquet file of tables, which is not read here"),
    ROW(0, "ARROW1", "this is an Arrow file of tables, which is not read here"),
    ROW(257, "ustar",
        "this is a tar archive: unpack it first (of PyTorch before 0.1.10: load and save it "
        "there)"),
    ROW(0, "\x1f\x8b", PACKED("gzip")),
    ROW(0, "BZh", PACKED("bzip2")),
    ROW(0,
        "\xfd"
        "7zXZ",
        PACKED("xz")),
    ROW(0, "\x28\xb5\x2f\xfd", PACKED("zstd")),
    ROW(0, "version https://git-lfs",
        "this is a pointer of Git LFS, not the file itself: git lfs pull fetches that"),
    ROW(0, "<!DOCTYPE", "this is a web page: a download has gone wrong"),
    ROW(0, "<!doctype", "this is a web page: a download has gone wrong"),
    ROW(0, "<html", "this is a web page: a download has gone wrong"),
    ROW(0, "{",
        "this is JSON: if it is the index of a model in several files, load each of those that it "
        "names"),
};

static bool ends_in(const char *path, const char *suffix)
{
  const size_t length = strlen(path), end = strlen(suffix);
  return length >= end && !strcmp(path + length - end, suffix);
}

/* Whether the file is a Protocol Buffers message whose first field is a small version, followed by
 * the names of its producer and domain, the graph or the sets of operations. */
static bool is_onnx(const at_file *file)
{
  static const uint8_t fields[] = {0x12, 0x1a, 0x22, 0x28, 0x3a, 0x42};
  const uint8_t *head = file->head;
  return ends_in(file->path, ".onnx") || (file->size > 4 && head[0] == 8 && head[1] > 0 &&
                                          head[1] < 32 && memchr(fields, head[2], sizeof fields));
}

const char *at_otherFormat(const at_file *file)
{
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (file->size >= others[i].offset + others[i].length &&
        !memcmp(file->head + others[i].offset, others[i].bytes, others[i].length))
      return others[i].sentence ? others[i].sentence : gguf;
  if (is_onnx(file))
    return "this is a model in ONNX, which is not read here" IN_PYTHON
           "onnx.numpy_helper.to_array(t) for t in onnx.load(path).graph.initializer gives its "
           "arrays, and " SAVE_NPZ;
  if (file->head[0] == 0x80 && file->head[1] <= 5 && file->size > 2)
    return "this is a pickle of Python, but not one that torch.save wrote: save its tensors with "
           "torch.save, or its arrays with numpy.savez";
  return NULL;
}
