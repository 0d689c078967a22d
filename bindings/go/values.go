package thaten

// #include <ATen/ATenType.h>
import "C"

// Number is an integer or a floating number; the zero value is one that is left out.
type Number struct {
	given, isFloat bool
	integer        int64
	number         float64
}

// Int is an integer.
func Int(value int64) Number {
	return Number{given: true, integer: value}
}

// Float is a floating number.
func Float(value float64) Number {
	return Number{given: true, isFloat: true, number: value}
}

func (n Number) toInt() int64 {
	if n.isFloat {
		return int64(n.number)
	}
	return n.integer
}

func (n Number) toFloat() float64 {
	if n.isFloat {
		return n.number
	}
	return float64(n.integer)
}

// Float64 is the value as a floating number.
func (n Number) Float64() float64 { return n.toFloat() }

// Int64 is the value as an integer, a floating number truncated.
func (n Number) Int64() int64 { return n.toInt() }

// Bool is an option that is true, false or left out.
type Bool int8

// The values of Bool; the zero value is left out.
const (
	True  Bool = 1
	False Bool = -1
)

func boolOf(b bool) Bool {
	if b {
		return True
	}
	return False
}

// Type is an element type; the zero value is left out.
type Type int

// The element types.
const (
	Byte     Type = C.AT_BYTE + 1
	Char     Type = C.AT_CHAR + 1
	Short    Type = C.AT_SHORT + 1
	Int32    Type = C.AT_INT + 1
	Long     Type = C.AT_LONG + 1
	Float32  Type = C.AT_FLOAT + 1
	Double   Type = C.AT_DOUBLE + 1
	Half     Type = C.AT_HALF + 1
	BoolType Type = C.AT_BOOL + 1
	BFloat16 Type = C.AT_BFLOAT16 + 1

	ComplexFloat  Type = C.AT_COMPLEX_FLOAT + 1
	ComplexDouble Type = C.AT_COMPLEX_DOUBLE + 1
	UInt16        Type = C.AT_UINT16 + 1
	UInt32        Type = C.AT_UINT32 + 1
	UInt64        Type = C.AT_UINT64 + 1
)

var typeNames = map[Type]string{Byte: "Byte", Char: "Char", Short: "Short", Int32: "Int", Long: "Long", Float32: "Float", Double: "Double", Half: "Half",
	BoolType: "Bool", BFloat16: "BFloat16", ComplexFloat: "ComplexFloat", ComplexDouble: "ComplexDouble", UInt16: "UInt16", UInt32: "UInt32", UInt64: "UInt64"}

// String is ATen's name of the type.
func (t Type) String() string {
	if name := typeNames[t]; name != "" {
		return name
	}
	return "no type"
}

func (t Type) raw() *C.at_type {
	return C.at_getType(C.AT_BACKEND_CPU, C.at_scalar_type(t-1))
}

// IsFloating says whether elements are floating numbers.
func (t Type) IsFloating() bool {
	return t == Float32 || t == Double || t == Half || t == BFloat16
}
