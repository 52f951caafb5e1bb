package column

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/trackgen-go/trackgen/kernel"
)

// Schema is the list of the columns of one kind of result. H is the struct of the arrays in host memory, whose fields
// are slices of kernel.Vec2, kernel.Vec3, kernel.Quat, float32, int32 or a type whose underlying type is int32. D is
// the struct of the arrays in device memory, whose fields are exec.Array of kernel.Vec2, kernel.Vec3, kernel.Quat,
// float32 or int32. Both have the same fields.
type Schema[H, D any] struct {
	columns []Column
	err     error
}

// NewSchema reads the tags of H. Err returns what is wrong with them.
func NewSchema[H, D any]() *Schema[H, D] {
	s := new(Schema[H, D])
	host, device := reflect.TypeFor[H](), reflect.TypeFor[D]()
	if host.Kind() != reflect.Struct || device.Kind() != reflect.Struct || host.NumField() != device.NumField() {
		s.err = fmt.Errorf("column: schema of %v and %v: must be two structs of the same fields", host, device)
		return s
	}
	var wrong []error
	for i := range host.NumField() {
		c, err := read(host.Field(i))
		if err == nil && s.named(c.Name) {
			err = fmt.Errorf("the name %q is taken", c.Name)
		}
		if err == nil && deviceTypes[device.Field(i).Type] != c.Type {
			err = fmt.Errorf("%v in device memory does not match %v", device.Field(i).Type, host.Field(i).Type)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("column: field %s of %v: %w", host.Field(i).Name, host, err))
		}
		s.columns = append(s.columns, c)
	}
	if s.err = errors.Join(wrong...); s.err != nil {
		s.columns = nil
	}
	return s
}

func (s *Schema[H, D]) named(name string) bool {
	return slices.ContainsFunc(s.columns, func(c Column) bool { return c.Name == name })
}

// Err returns what is wrong with the fields or their tags; a schema with an error has no columns. The error depends on
// the program alone, so that a test can check it once.
func (s *Schema[H, D]) Err() error { return s.err }

// Columns returns the columns in the order of the fields.
func (s *Schema[H, D]) Columns() []Column { return slices.Clone(s.columns) }

// Host returns the columns of a result in host memory. Their methods read and change the fields of result.
func (s *Schema[H, D]) Host(result *H) []Host {
	list := make([]Host, len(s.columns))
	value := reflect.ValueOf(result).Elem()
	for i, c := range s.columns {
		list[i] = Host{Column: c, array: hostArrayOf(value.Field(i))}
	}
	return list
}

// Device returns the columns of a result in device memory. Their methods read and change the fields of result.
func (s *Schema[H, D]) Device(result *D) []Device {
	list := make([]Device, len(s.columns))
	value := reflect.ValueOf(result).Elem()
	for i, c := range s.columns {
		list[i] = Device{Column: c, array: deviceArrayOf(value.Field(i))}
	}
	return list
}

var validName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// read returns the column that a field describes.
func read(field reflect.StructField) (Column, error) {
	parts := strings.Split(field.Tag.Get("column"), ",")
	if len(parts) < 4 || len(parts) > 5 {
		return Column{}, fmt.Errorf("tag column is %q: must be name,per,unit,stage or name,per,unit,stage,absence",
			field.Tag.Get("column"))
	}
	c := Column{Name: parts[0], Per: Per(parts[1]), Unit: Unit(parts[2]), Stage: parts[3], Doc: field.Tag.Get("doc")}
	if len(parts) == 5 {
		c.Absent = Absence(parts[4])
	}
	var known bool
	c.Type, known = hostType(field.Type)
	switch {
	case !field.IsExported():
		return c, errors.New("the field is not exported")
	case !known:
		return c, fmt.Errorf("type %v: must be a slice of kernel.Vec2, kernel.Vec3, kernel.Quat, float32, int32 or a type "+
			"made from int32", field.Type)
	case !validName.MatchString(c.Name):
		return c, fmt.Errorf("name %q: must be of small letters, digits and _", c.Name)
	case c.Per != Env && axisOf[c.Per] == "":
		return c, fmt.Errorf("per %q: must be env, point, gate, agent, box, checkpoint or prop", c.Per)
	case !slices.Contains([]Unit{None, Length}, c.Unit):
		return c, fmt.Errorf("unit %q: must be none or length", c.Unit)
	case c.Stage == "":
		return c, errors.New("the stage is missing")
	case len(parts) == 5 && c.Absent != Zero && c.Absent != Unknown:
		return c, fmt.Errorf("absence %q: must be zero or unknown", c.Absent)
	case c.Doc == "":
		return c, errors.New("tag doc is missing")
	}
	return c, nil
}

// hostType returns the element type of a slice, and whether a column may have it.
func hostType(slice reflect.Type) (kernel.Type, bool) {
	if slice.Kind() != reflect.Slice {
		return 0, false
	}
	switch element := slice.Elem(); {
	case element == reflect.TypeFor[kernel.Vec2]():
		return kernel.TypeVec2, true
	case element == reflect.TypeFor[kernel.Vec3]():
		return kernel.TypeVec3, true
	case element == reflect.TypeFor[kernel.Quat]():
		return kernel.TypeQuat, true
	case element.Kind() == reflect.Float32:
		return kernel.Float32, true
	case element.Kind() == reflect.Int32:
		return kernel.Int32, true
	}
	return 0, false
}
