package config_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/config"
)

// Part is what the components of a mixture differ in.
type Part struct{ Kind string }

type whole struct {
	Part
	Count int
	Mesh  struct {
		CellSize float64
		Rows     int
	}
	Places []float64
	Names  []string
}

var kinds = []string{"plain"}

var table = config.NewTable([]config.Group{{Name: "", Title: "All"}, {Name: "mesh", Title: "Mesh"}}, "Part",
	[]config.Field[whole]{
		{Name: "kind", Default: "plain", Choices: []string{"plain"}, ChoicesNow: func() []string { return kinds },
			Doc: "kind"},
		{Name: "count", Reference: "n", Default: 3, Min: 1, Max: 9, Doc: "number"},
		{Name: "mesh.cell_size", Reference: "cell", Unit: config.Length, Derived: "as large as needed", MinOpen: true, Max: 2,
			Doc: "side of a cell"},
		{Name: "mesh.rows", Default: 1, Min: -2, Max: 2, NonZero: true, Doc: "rows"},
		{Name: "places", Derived: "none", Min: -1, Max: 4, Doc: "places"},
		{Name: "names", Derived: "all", Choices: []string{"x", "y", "z"}, Doc: "names"},
	})

// Defaults, choices, names and the parts of a mixture follow the table.
func TestTable(t *testing.T) {
	c := table.Default()
	assert.Equal(t, 3, c.Count)
	assert.Equal(t, "plain", c.Kind)
	assert.Empty(t, table.Check(c))
	kind, ok := table.Named("kind")
	require.True(t, ok)
	assert.False(t, kind.Shared(), "components differ in it")
	count, ok := table.OfReference("old.n")
	require.True(t, ok)
	assert.Equal(t, "count", count.Name)
	assert.True(t, count.Shared())
	_, ok = table.Named("kin")
	assert.False(t, ok)

	kinds = []string{"plain", "fancy"}
	require.NoError(t, kind.Set(&c, "fancy"))
	assert.Empty(t, table.Check(c), "a choice that was added later")
	assert.Equal(t, "one of plain", table.Documented()[0].Allowed())
}

// Each wrong value is an error that names the field, the value and what is allowed.
func TestCheck(t *testing.T) {
	kinds = []string{"plain", "fancy"}
	c := table.Default()
	c.Kind, c.Count, c.Mesh.CellSize, c.Mesh.Rows = "odd", 10, 3, 0
	var messages []string
	for _, err := range table.Check(c) {
		require.ErrorIs(t, err, config.ErrConfig)
		messages = append(messages, err.Error())
	}
	assert.Equal(t, []string{
		`kind is "odd": must be one of plain, fancy`,
		"count is 10: must be a whole number >= 1 and <= 9",
		"mesh.cell_size is 3: must be a number > 0 and <= 2, or 0 for the default",
		"mesh.rows is 0: must be a whole number other than 0, >= -2 and <= 2",
	}, messages)
	rows, _ := table.Named("mesh.rows")
	assert.ErrorContains(t, rows.Set(&c, "two"), "mesh.rows is two")
	require.NoError(t, rows.Set(&c, 2.0), "a whole number")
	assert.Equal(t, 2, c.Mesh.Rows)
	assert.Equal(t, "CellSize: side of a cell. Default: 0: as large as needed; a number > 0 and <= 2, or 0 for the "+
		"default.", table.Documented()[2].Comment())
}

type outer struct {
	Mode  string
	Inner whole
}

// A table may have the fields of the table of a part, under other names.
func TestPart(t *testing.T) {
	leave := func(name string) bool { return name == "kind" }
	both := config.NewTable(nil, "", append(config.Part[outer]("inner", "part", table.Fields(), leave),
		config.Field[outer]{Name: "mode", Default: "a", Choices: []string{"a"}}))
	var names []string
	for _, f := range both.Fields() {
		names = append(names, f.Name)
	}
	assert.Equal(t, []string{"part.count", "mesh.cell_size", "mesh.rows", "part.places", "part.names", "mode"}, names)
	c := both.Default()
	assert.Equal(t, 3, c.Inner.Count)
	assert.Equal(t, "a", c.Mode)
	c.Inner.Mesh.Rows = 3
	require.Len(t, both.Check(c), 1)
	assert.EqualError(t, both.Check(c)[0], "mesh.rows is 3: must be a whole number other than 0, >= -2 and <= 2")
	size, _ := both.Named("mesh.cell_size")
	require.NoError(t, size.Set(&c, 0.5))
	assert.InDelta(t, 0.5, c.Inner.Mesh.CellSize, 0)
}

// Lists of numbers and of names are copied, printed as configuration files have them, and checked one by one.
func TestLists(t *testing.T) {
	c := table.Default()
	places, _ := table.Named("places")
	names, _ := table.Named("names")
	list := []string{"z", "x"}
	require.NoError(t, names.Set(&c, list))
	require.NoError(t, places.Set(&c, []float64{-0.5, 4}))
	list[0] = "w"
	assert.Equal(t, []string{"z", "x"}, c.Names)
	assert.Equal(t, "[z, x]", names.Text(c))
	assert.Equal(t, "[-0.5, 4]", places.Text(c))
	assert.Empty(t, table.Check(c))
	assert.Equal(t, "[]: all", names.DefaultText())
	assert.True(t, names.IsDerived(table.Default()))

	for wrong, want := range map[string][]string{"[x, x]": {"x", "x"}, "[w]": {"w"}} {
		require.NoError(t, names.Set(&c, want))
		require.EqualError(t, names.Check(c), "names is "+wrong+
			": must be a list of different names of x, y, z, or [] for the default")
	}
	require.NoError(t, places.Set(&c, []float64{0, 5}))
	require.EqualError(t, places.Check(c),
		"places is [0, 5]: must be a list of numbers, each >= -1 and <= 4, or [] for the default")
	require.NoError(t, places.Set(&c, []float64{}))
	assert.Nil(t, c.Places)
	require.ErrorContains(t, places.Set(&c, "near"), "places is near: must be a list of numbers")
}
