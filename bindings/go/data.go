package thaten

// #include <ATen/ATenData.h>
// static at_loader *thaten_loader(const at_dataset *dataset, const at_loader_new_options *options)
// {
//   return (at_loader_new)(dataset, options);
// }
// static at_tensor *thaten_csv(const char *path, const at_load_csv_options *options)
// {
//   return (at_load_csv)(path, options);
// }
import "C"

import "runtime"

// Dataset has samples, each of which has one or more parts.
type Dataset struct {
	pointer *C.at_dataset
}

// NewDataset makes a data set whose sample i is element i of the first dimension of each of the tensors.
func NewDataset(tensors ...*Tensor) (*Dataset, error) {
	c, d := &call{}, &Dataset{}
	defer c.free()
	err := locked(func() { d.pointer = C.at_dataset_tensors(c.tensorsOf(tensors)) })
	runtime.KeepAlive(c.kept)
	if err != nil {
		return nil, err
	}
	runtime.SetFinalizer(d, func(d *Dataset) { C.at_dataset_free(d.pointer) })
	return d, nil
}

// Count is the number of samples.
func (d *Dataset) Count() int64 {
	defer runtime.KeepAlive(d)
	return int64(C.at_dataset_count(d.pointer))
}

// LoaderOptions are options of NewLoader; what is left out has its default.
type LoaderOptions struct {
	BatchSize int64
	Shuffle   bool
	DropLast  bool
	Generator *Generator
}

// Loader makes batches.  The orders of shuffled passes are those of PyTorch's DataLoader after the same seed.
//
//	for loader.Next() {
//		images, labels := loader.Batch()[0], loader.Batch()[1]
//	}
//	if loader.Err() != nil { ... }
type Loader struct {
	pointer   *C.at_loader
	dataset   *Dataset // lives as long
	generator *Generator
	batch     []*Tensor
	err       error
}

// NewLoader makes a loader, which one goroutine uses at a time.
func NewLoader(dataset *Dataset, options ...LoaderOptions) (*Loader, error) {
	l := &Loader{dataset: dataset}
	raw := C.at_loader_new_defaults
	raw.prefetch = 0 // the samples of tensors are there
	for _, o := range options {
		if o.BatchSize != 0 {
			raw.batch_size = C.int64_t(o.BatchSize)
		}
		raw.shuffle, raw.drop_last = C.bool(o.Shuffle), C.bool(o.DropLast)
		if o.Generator != nil {
			raw.generator, l.generator = o.Generator.raw, o.Generator
		}
	}
	var data *C.at_dataset
	if dataset != nil {
		data = dataset.pointer
	}
	if err := locked(func() { l.pointer = C.thaten_loader(data, &raw) }); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(l, func(l *Loader) { C.at_loader_free(l.pointer) })
	return l, nil
}

// Next makes the next batch; it is false at the end of a pass, after which the next one begins, and after an error.
func (l *Loader) Next() bool {
	l.batch = nil
	l.err = locked(func() {
		if list := C.at_loader_next(l.pointer); list != nil {
			l.batch = retained(*list)
		}
	})
	runtime.KeepAlive(l)
	return l.batch != nil
}

// Batch has a tensor for each part of the samples.
func (l *Loader) Batch() []*Tensor {
	return l.batch
}

// Err is the error that ended a pass.
func (l *Loader) Err() error {
	return l.err
}

// Batches is the number of batches of a pass.
func (l *Loader) Batches() int64 {
	defer runtime.KeepAlive(l)
	return int64(C.at_loader_batches(l.pointer))
}

func loaded(path string, f func(path *C.char) *C.at_tensor) (t *Tensor, err error) {
	text, err := cString(path)
	if err != nil {
		return nil, err
	}
	defer free(text)
	err = locked(func() { t = wrap(f(text)) })
	return t, err
}

// LoadIdx is the tensor of an IDX file, as of MNIST, that is not compressed.
func LoadIdx(path string) (*Tensor, error) {
	return loaded(path, func(path *C.char) *C.at_tensor { return C.at_load_idx(path) })
}

// LoadCsv has the numbers of a text file, a row for each line.
func LoadCsv(path string) (*Tensor, error) {
	return loaded(path, func(path *C.char) *C.at_tensor { return C.thaten_csv(path, nil) })
}
