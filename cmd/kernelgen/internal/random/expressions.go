package random

import (
	"fmt"
	"regexp"
	"strings"
)

// maxDepth is how deep expressions stand in each other.
const maxDepth = 3

// value returns an expression of a type. constant says whether it is one that Go computes.
func (g *generator) value(t typ) (text string, constant bool) {
	if t == boolean && g.chance(1, 30) || t > boolean && t <= float && g.chance(1, 6) {
		return g.constantOf(t, false), true
	}
	return g.unknown(t), false
}

// plain returns an expression of a type that stands alone.
func (g *generator) plain(t typ) string {
	text, _ := g.value(t)
	return text
}

// unknown returns an expression of a type that no compiler knows.
func (g *generator) unknown(t typ) string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth > maxDepth || g.chance(1, 3) {
		return g.atom(t)
	}
	if g.chance(1, 6) {
		if text, ok := g.helperCall(t); ok {
			return text
		}
	}
	if t <= float && g.chance(1, 5) {
		return g.idiom(t)
	}
	switch t {
	case boolean:
		return g.booleanOperation()
	case signed, unsigned:
		return g.integerOperation(t)
	case float:
		return g.floatOperation()
	case vec2, vec3:
		return g.vectorOperation(t)
	}
	return g.composite(t)
}

// constantOf returns a literal or constant. With operand it is no float zero, which kernelgen refuses there.
func (g *generator) constantOf(t typ, operand bool) string {
	if g.chance(1, 8) {
		for _, c := range g.named {
			if c.t == t {
				return c.name
			}
		}
	}
	return g.literal(t, operand)
}

// literal returns a literal of a number or bool. With operand it is not zero.
func (g *generator) literal(t typ, operand bool) string {
	switch t {
	case boolean:
		return pick(g, []string{"true", "false"})
	case signed:
		if g.chance(1, 2) {
			return fmt.Sprint(g.IntN(20) - 6 + map[bool]int{true: 7}[operand])
		}
		return pick(g, []string{"-2147483648", "2147483647", "16777217", "-16777217", "65536", "-1", "0x55aa55aa", "46341"})
	case unsigned:
		if g.chance(1, 2) {
			return fmt.Sprint(1 + g.IntN(20))
		}
		return pick(g, []string{"4294967295", "2147483648", "16777217", "747796405", "0x7f800000", "0xff", "65536"})
	}
	list := []string{
		"1", "0.5", "-0.5", "2", "-1.5", "0.1", "3.1415927", "1e-40", "1e-45", "-1.17549435e-38", "3.4028235e38", "-3e38",
		"16777216", "16777217", "2147483648", "-2147483649", "1e10", "0x1.000002p0", "0x1p-126", "1.0 / 3",
	}
	if !operand {
		list = append(list, "0", "0")
	}
	text := pick(g, list)
	if !g.denormals {
		text = strings.NewReplacer("1e-40", "1e-30", "1e-45", "1e-20").Replace(text)
	}
	return text
}

// index returns an expression of an index below n, a power of two.
func (g *generator) index(n int) string {
	if g.depth <= maxDepth && g.chance(1, 5) {
		return fmt.Sprintf("int32(%s%%%d)", g.factor(unsigned), n)
	}
	return g.masked(n)
}

// masked returns an expression of an index below n that kernelgen knows to be below n.
func (g *generator) masked(n int) string {
	choice := g.IntN(3)
	if g.depth > maxDepth {
		choice = 0
	}
	switch choice {
	case 0:
		return fmt.Sprint(g.IntN(n))
	case 1:
		if list := g.find(func(v *variable) bool { return v.bound > 0 && v.bound <= n }); len(list) > 0 {
			v := pick(g, list)
			g.use(v)
			return v.name
		}
	}
	return fmt.Sprintf("%s&%d", g.factor(signed), n-1)
}

// factor returns an operand that needs no parentheses.
func (g *generator) factor(t typ) string {
	text := g.unknown(t)
	if strings.ContainsAny(text, " ") || strings.HasPrefix(text, "-") || strings.HasPrefix(text, "^") {
		return "(" + text + ")"
	}
	return text
}

// element returns the text of an element of a list that may be read here; ok is false where none may.
func (g *generator) element(v *variable) (text string, ok bool) {
	if v.access == combined {
		return "", false
	}
	first := g.item
	if v.access == own && first == "" {
		return "", false
	}
	if v.slice {
		switch {
		case v.access == own:
			return v.name + "[" + v.base + " + " + first + "]", true
		case v.base != "":
			return v.name + "[" + v.base + " + " + g.masked(v.length) + "]", true
		}
		return v.name + "[" + g.index(v.length) + "]", true
	}
	text = v.name
	dims := v.dims
	if v.access == halves {
		if g.chance(1, 3) {
			return text + "[1-cur][" + first + "]", true
		}
		text, dims = text+"[cur]", dims[1:]
	}
	for i, n := range dims {
		if i == 0 && v.access == own {
			text += "[" + first + "]"
			continue
		}
		text += "[" + g.index(n) + "]"
	}
	return text, true
}

// atom returns a variable, an element or a field of a type, converted from another type where there is none.
func (g *generator) atom(t typ) string {
	var choices []func() (string, bool)
	g.visible(func(v *variable, _ place) {
		read := func() (string, bool) {
			g.use(v)
			if v.isList() {
				return g.element(v)
			}
			return v.name, true
		}
		if v.t == t {
			choices = append(choices, read)
		} else if part := g.part(v.t, t); part != nil {
			choices = append(choices, func() (string, bool) {
				text, ok := read()
				return text + part(), ok
			})
		}
	})
	for range 3 {
		if len(choices) == 0 {
			break
		}
		before := len(g.reads)
		text, ok := choices[g.IntN(len(choices))]()
		if ok {
			return text
		}
		g.forget(before)
	}
	return g.converted(t)
}

// part returns how a value of one type leads to one of another, nil where it does not.
func (g *generator) part(from, to typ) func() string {
	if fields := vectorFields[from]; fields != "" && to == float {
		return func() string { return "." + string(fields[g.IntN(len(fields))]) }
	}
	if from < structBase {
		return nil
	}
	var found []field
	for _, f := range g.structs[from-structBase].fields {
		if f.t == to {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return func() string {
		f := pick(g, found)
		text := "." + f.name
		for _, n := range f.dims {
			text += "[" + g.index(n) + "]"
		}
		return text
	}
}

// converted returns an expression of a type from acc, which every function has.
func (g *generator) converted(t typ) string {
	switch t {
	case boolean:
		return fmt.Sprintf("(acc>>%d&1 != 0)", g.IntN(32))
	case signed:
		return "int32(acc)"
	case unsigned:
		return "acc"
	case float:
		return pick(g, []string{"float32(acc)", "float32(acc & 1023)", "float32(int32(acc))"})
	}
	return g.composite(t)
}

// trailing and leading match text that ends or begins in a literal, which an operator beside it would be applied to.
var (
	trailing = regexp.MustCompile(`(^|[^\w\])])[\d.][\w.]*$|limit\w*$|\(-[\w.]+\)$`)
	leading  = regexp.MustCompile(`^[-\d.]|^limit|^\(-[\w.]+\)`)
)

// operand returns an expression of an integer as the operand of a binary operator, sometimes without parentheses.
func (g *generator) operand(text string, left bool) string {
	if !strings.Contains(text, " ") && !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "^") {
		return text
	}
	if g.chance(1, 2) && (left && !trailing.MatchString(text) || !left && !leading.MatchString(text)) &&
		!strings.HasPrefix(text, "^") {
		return text
	}
	return "(" + text + ")"
}

// operands returns two expressions of a type, at most one of them constant and no float zero.
func (g *generator) operands(t typ) (x, y string) {
	switch g.IntN(8) {
	case 0, 1:
		return g.unknown(t), g.constantOf(t, true)
	case 2:
		return g.constantOf(t, true), g.unknown(t)
	}
	return g.unknown(t), g.unknown(t)
}

func (g *generator) integerOperation(t typ) string {
	name := g.typeName(t)
	switch g.IntN(14) {
	case 0, 1, 2, 3, 4, 5:
		x, y := g.operands(t)
		operator := pick(g, []string{"+", "-", "*", "&", "|", "^", "&^"})
		return g.operand(x, true) + " " + operator + " " + g.operand(y, false)
	case 6:
		return fmt.Sprintf("%s %s %s", g.factor(t), pick(g, []string{"<<", ">>"}), g.shiftCount())
	case 7:
		return g.division(t)
	case 8:
		return pick(g, []string{"-", "^"}) + g.factor(t)
	case 9:
		text := g.unknown(t)
		for range 1 + g.IntN(2) {
			text += ", " + g.plain(t)
		}
		return pick(g, []string{"min", "max"}) + "(" + text + ")"
	case 10:
		if t == signed {
			return "kernel.ToInt32(" + g.plain(float) + ")"
		}
		return g.support("bits") + "(" + g.unknown(float) + ")"
	case 11:
		if lists := g.find(func(v *variable) bool { return v.slice }); len(lists) > 0 {
			v := pick(g, lists)
			g.use(v)
			return fmt.Sprintf("%s(int32(len(%s)))", name, v.name)
		}
	case 12:
		if t == unsigned {
			return "kernel.Hash(" + g.unknown(unsigned) + ")"
		}
		return fmt.Sprintf("kernel.Integer(%s, %s, %s)", g.unknown(unsigned), g.plain(signed), g.plain(signed))
	}
	return name + "(" + g.unknown(signed+unsigned-t) + ")"
}

// shiftCount returns a count of 0 to 31.
func (g *generator) shiftCount() string {
	if g.chance(1, 2) {
		return fmt.Sprint(g.IntN(32))
	}
	t := pick(g, []typ{signed, unsigned})
	if g.chance(1, 3) {
		return fmt.Sprintf("(31 & %s)", g.factor(t))
	}
	return fmt.Sprintf("(%s & %d)", g.factor(t), pick(g, []int{31, 31, 7}))
}

// division returns a quotient or remainder whose divisor is defined.
func (g *generator) division(t typ) string {
	operator := pick(g, []string{" / ", " % "})
	if t == unsigned {
		if g.chance(1, 2) {
			return g.factor(t) + operator + fmt.Sprint(1+g.IntN(300))
		}
		return fmt.Sprintf("%s%s(%s|%d)", g.factor(t), operator, g.factor(t), 1<<g.IntN(32))
	}
	switch g.IntN(4) {
	case 0:
		return g.factor(t) + operator + fmt.Sprint(2+g.IntN(300))
	case 1:
		return g.factor(t) + operator + fmt.Sprintf("(%d)", -2-g.IntN(300))
	case 2:
		return fmt.Sprintf("%s%s(%s&%d + 1)", g.factor(t), operator, g.factor(t), 1<<(1+g.IntN(20))-1)
	}
	name := g.support(map[string]string{" / ": "quotient", " % ": "remainder"}[operator])
	return fmt.Sprintf("%s(%s, %s)", name, g.plain(t), g.plain(t))
}

func (g *generator) booleanOperation() string {
	switch g.IntN(9) {
	case 0, 1, 2, 3:
		t := pick(g, numbers)
		x, y := g.operands(t)
		return fmt.Sprintf("(%s %s %s)", x, pick(g, comparisons), y)
	case 4, 5:
		return fmt.Sprintf("(%s %s %s)", g.unknown(boolean), pick(g, []string{"&&", "||"}), g.unknown(boolean))
	case 6:
		return "!" + g.factor(boolean)
	case 7:
		switch g.IntN(4) {
		case 0:
			return "kernel.IsNaN(" + g.unknown(float) + ")"
		case 1:
			return "kernel.IsFinite(" + g.unknown(float) + ")"
		case 2:
			x := g.atom(float)
			return fmt.Sprintf("(%s %s %s)", x, pick(g, []string{"!=", "==", "<=", ">="}), x)
		}
		x, y := g.factor(float), g.factor(float)
		return fmt.Sprintf("(%s*%s %s %s)", x, y, pick(g, comparisons), g.plain(float))
	}
	return fmt.Sprintf("(%s %s %s)", g.factor(boolean), pick(g, []string{"==", "!="}), g.factor(boolean))
}

var comparisons = []string{"<", "<=", "==", "!=", ">=", ">"}

func (g *generator) floatOperation() string {
	switch g.IntN(13) {
	case 0, 1, 2:
		x, y := g.operands(float)
		return fmt.Sprintf("(%s %s %s)", x, pick(g, []string{"+", "-"}), y)
	case 3, 4:
		x, y := g.operands(float)
		if g.chance(1, 3) {
			return fmt.Sprintf("float32((%s) * (%s) %s (%s))", x, y, pick(g, []string{"*", "/"}), g.unknown(float))
		}
		return fmt.Sprintf("float32((%s) * (%s))", x, y)
	case 5:
		x, y := g.operands(float)
		return fmt.Sprintf("((%s) / (%s))", x, y)
	case 6:
		return "-" + g.factor(float)
	case 7, 8:
		if g.chance(1, 6) {
			return "float32(" + g.floatOperation() + ")"
		}
		return fmt.Sprintf("float32(%s)", g.unknown(pick(g, []typ{signed, unsigned})))
	case 9:
		if g.chance(1, 3) {
			return "kernel.Float32FromBits(" + g.support("bits") + "(" + g.unknown(float) + "))"
		}
		return "kernel.Float32FromBits(" + g.plain(unsigned) + ")"
	case 10:
		if g.chance(1, 2) {
			return g.unknown(pick(g, []typ{vec2, vec3})) + ".Len()"
		}
		t := pick(g, []typ{vec2, vec3})
		return fmt.Sprintf("%s.Dot(%s)", g.unknown(t), g.unknown(t))
	}
	return g.floatFunction()
}

// floatFunction returns a call of a function of package kernel. The elementary ones are long, and so they are rare.
func (g *generator) floatFunction() string {
	choice := g.IntN(16)
	if choice == 13 && g.chance(2, 3) {
		return "kernel.Uniform(" + g.unknown(unsigned) + ")"
	}
	x := g.plain(float)
	switch choice {
	case 0, 1, 2:
		return "kernel.Sqrt(" + x + ")"
	case 3, 4:
		return "kernel.Abs(" + x + ")"
	case 5:
		return fmt.Sprintf("kernel.CopySign(%s, %s(%s))", x, g.support("known"), g.unknown(float))
	case 6, 7, 8:
		return fmt.Sprintf("kernel.%s(%s, %s)", pick(g, []string{"Min", "Max"}), x, g.plain(float))
	case 9:
		return fmt.Sprintf("kernel.Clamp(%s, %s, %s)", x, g.plain(float), g.plain(float))
	case 10, 11, 12:
		return "kernel.Floor(" + x + ")"
	case 13:
		return fmt.Sprintf("kernel.%s(%s)", pick(g, []string{"Sin", "Cos", "Exp", "Log"}), x)
	case 14:
		if g.chance(1, 3) {
			return fmt.Sprintf("kernel.Atan2(%s, %s)", x, g.plain(float))
		}
		return fmt.Sprintf("kernel.TwoProd(%s, %s).%s", x, g.unknown(float), pick(g, []string{"Hi", "Lo"}))
	}
	return fmt.Sprintf("kernel.TwoSum(%s, %s).%s(%s).Float32()", x, g.unknown(float),
		pick(g, []string{"Add", "Sub", "Mul", "Div"}), g.unknown(float))
}

func (g *generator) vectorOperation(t typ) string {
	switch g.IntN(7) {
	case 0, 1:
		return fmt.Sprintf("%s.%s(%s)", g.unknown(t), pick(g, []string{"Add", "Sub"}), g.unknown(t))
	case 2:
		return fmt.Sprintf("%s.Scale(%s)", g.unknown(t), g.plain(float))
	case 3:
		if t == vec3 {
			return fmt.Sprintf("%s.Cross(%s)", g.unknown(t), g.unknown(t))
		}
	}
	return g.composite(t)
}

// composite returns a literal of a vector or struct.
func (g *generator) composite(t typ) string {
	g.depth++
	defer func() { g.depth-- }()
	part := func(t typ) string {
		if g.depth > maxDepth {
			return g.converted(t)
		}
		return g.plain(t)
	}
	switch t {
	case vec2:
		return fmt.Sprintf("kernel.V2(%s, %s)", part(float), part(float))
	case vec3:
		return fmt.Sprintf("kernel.V3(%s, %s, %s)", part(float), part(float), part(float))
	case quat:
		if g.chance(1, 3) {
			return fmt.Sprintf("kernel.Quat{Z: %s, X: %s}", part(float), part(float))
		}
		return fmt.Sprintf("kernel.Quat{X: %s, Y: %s, Z: %s, W: %s}", part(float), part(float), part(float), part(float))
	}
	s := g.structs[t-structBase]
	var parts []string
	for _, f := range s.fields {
		switch {
		case g.chance(1, 3): // zero
		case len(f.dims) > 0:
			parts = append(parts, fmt.Sprintf("%s: %s%s{%s, 2: %s}", f.name, dimensions(f.dims), g.typeName(f.t), part(f.t),
				part(f.t)))
		default:
			parts = append(parts, f.name+": "+part(f.t))
		}
	}
	return s.name + "{" + strings.Join(parts, ", ") + "}"
}
