package thaten

import "math"

// Slice is a half-open range of a dimension; negative numbers count from its end.
type Slice struct {
	start, end, step int64
}

// Between is the indices from start on, before end.
func Between(start, end int64) Slice { return Slice{start, end, 1} }

// From is the indices from start on.
func From(start int64) Slice { return Slice{start, math.MaxInt64, 1} }

// To is the indices before end.
func To(end int64) Slice { return Slice{0, end, 1} }

// By is every step-th index of the range.
func (s Slice) By(step int64) Slice { return Slice{s.start, s.end, step} }

type marker int

// All is all of a dimension, NewAxis a new one of size 1, Ellipsis all dimensions that no other index is for.
var (
	All      = From(0)
	NewAxis  = marker(0)
	Ellipsis = marker(1)
)

// consumed is the number of dimensions that an index is for.
func consumed(index any) (int, error) {
	switch i := index.(type) {
	case int, int64, Slice:
		return 1, nil
	case marker:
		return 0, nil
	case *Tensor:
		if i == nil {
			return 0, argumentError("an index is a tensor that is missing")
		}
		if i.Type() == BoolType || i.Type() == Byte {
			return i.Dim(), nil
		}
		return 1, nil
	}
	return 0, argumentError("an index is int, int64, Slice, NewAxis, Ellipsis or *Tensor, and not %T", index)
}

// selection is a view by numbers and slices, and the tensors that index it; the scope owns what was made.
type selection struct {
	view    *Tensor
	dim     int64 // of the view, the next index's
	tensors []*Tensor
	any     bool
}

func (sel *selection) all() {
	sel.tensors = append(sel.tensors, nil)
	sel.dim++
}

// take applies one index.
func (sel *selection) take(s *Scope, index any, left int) {
	dim := sel.dim
	switch i := index.(type) {
	case int:
		sel.view = s.Own(sel.view.Select(dim, int64(i)))
	case int64:
		sel.view = s.Own(sel.view.Select(dim, i))
	case Slice:
		sel.view = s.Own(sel.view.Slice(SliceOptions{Dim: Int(dim), Start: Int(i.start), End: Int(i.end), Step: Int(i.step)}))
		sel.all()
	case *Tensor:
		count, _ := consumed(i)
		sel.tensors = append(sel.tensors, i)
		sel.dim += int64(count)
		sel.any = true
	case marker:
		if i == NewAxis {
			sel.view = s.Own(sel.view.Unsqueeze(dim))
			sel.all()
		}
		for ; i == Ellipsis && left > 0; left-- {
			sel.all()
		}
	}
}

func (t *Tensor) selection(s *Scope, indices []any) selection {
	left := t.Dim()
	for _, index := range indices {
		count, err := consumed(index)
		s.Own(nil, err)
		left -= count
	}
	sel := selection{view: s.Own(t.Alias())}
	if s.Err() == nil && left < 0 {
		s.Own(nil, argumentError("%d indices too many for a tensor of %d dimensions", -left, t.Dim()))
	}
	for _, index := range indices {
		if s.Err() != nil {
			break
		}
		sel.take(s, index, left)
	}
	return sel
}

// At is the view that numbers and slices make; with tensors among the indices a copy of those elements.
//
//	x.At(0, thaten.Between(1, 3))   x.At(thaten.Ellipsis, indices)
func (t *Tensor) At(indices ...any) (*Tensor, error) {
	s := NewScope()
	defer s.Close()
	sel := t.selection(s, indices)
	if s.Err() != nil {
		return nil, s.Err()
	}
	if sel.any {
		return sel.view.Index(sel.tensors)
	}
	return s.Keep(sel.view), nil
}

// SetAt writes the value, which is broadcast, to those elements.
func (t *Tensor) SetAt(value *Tensor, indices ...any) error {
	s := NewScope()
	defer s.Close()
	sel := t.selection(s, indices)
	if s.Err() != nil {
		return s.Err()
	}
	var err error
	if sel.any {
		_, err = sel.view.IndexPut_(sel.tensors, value)
	} else {
		_, err = sel.view.Copy_(value)
	}
	return err
}
