// Package config describes configurations. A configuration is a struct of plain values in nested groups. A Table has
// one line for each of its fields: name, default, range and meaning. Defaults, validation, configuration files,
// arguments and documents follow the table.
package config
