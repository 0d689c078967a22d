package thaten

// #include <stdlib.h>
// #include <ATen/ATenFile.h>
// static at_tensor *thaten_loadNpy(const char *path)
// {
//   return (at_load_npy)(path);
// }
import "C"

import (
	"runtime"
	"sort"
	"strings"
	"unsafe"
)

// cString is the text for C, to be freed.
func cString(text string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, argumentError("a name has a 0 inside: %q", text)
	}
	return C.CString(text), nil
}

func free(text *C.char) {
	C.free(unsafe.Pointer(text))
}

func entries(dict *C.at_dict) map[string]*Tensor {
	tensors := make(map[string]*Tensor)
	for i := C.int64_t(0); i < C.at_dict_count(dict); i++ {
		tensors[C.GoString(C.at_dict_name(dict, i))] = wrap(C.at_retain(C.at_dict_at(dict, i)))
	}
	return tensors
}

// Load reads the tensors of a file by name.
func Load(path string) (map[string]*Tensor, error) {
	text, err := cString(path)
	if err != nil {
		return nil, err
	}
	defer free(text)
	var dict *C.at_dict
	if err := locked(func() { dict = C.at_load(text, nil) }); err != nil {
		return nil, err
	}
	defer C.at_dict_free(dict)
	return entries(dict), nil
}

// Save writes tensors, in the order of their names, to a file of the format that the path's extension names.
func Save(path string, tensors map[string]*Tensor) error {
	text, err := cString(path)
	if err != nil {
		return err
	}
	defer free(text)
	dict, err := dictOf(tensors)
	if err != nil {
		return err
	}
	defer C.at_dict_free(dict)
	return locked(func() { C.at_save(text, dict) })
}

// LoadNpy reads the array of a .npy file.
func LoadNpy(path string) (*Tensor, error) {
	return loaded(path, func(path *C.char) *C.at_tensor { return C.thaten_loadNpy(path) })
}

// SaveNpy writes the tensor to a .npy file.
func SaveNpy(path string, t *Tensor) error {
	text, err := cString(path)
	if err != nil {
		return err
	}
	defer free(text)
	defer runtime.KeepAlive(t)
	return locked(func() { C.at_save_npy(text, t.raw()) })
}

// dictOf is a set of the tensors in the order of their names, to be freed.
func dictOf(tensors map[string]*Tensor) (dict *C.at_dict, err error) {
	if err := locked(func() { dict = C.at_dict_new() }); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			C.at_dict_free(dict)
			dict = nil
		}
	}()
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		key, err := cString(name)
		if err != nil {
			return dict, err
		}
		err = locked(func() { C.at_dict_set(dict, key, tensors[name].raw()) })
		free(key)
		if err != nil {
			return dict, err
		}
	}
	runtime.KeepAlive(tensors)
	return dict, nil
}
