package circuit

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
)

// separators are the characters that separate columns, in the order of preference: a file with semicolons may have
// decimal commas.
const separators = ";\t,|"

// blank represents any number of blanks and tabs as one separator.
const blank = ' '

// separatorOf returns the separator of the columns of a line of text.
func separatorOf(line []byte) byte {
	for _, separator := range []byte(separators) {
		if bytes.IndexByte(line, separator) >= 0 {
			return separator
		}
	}
	return blank
}

// separatorOfNumbers returns the separator of the columns of a line of numbers: the first one whose fields are all
// numbers, or else the first one in the line.
func separatorOfNumbers(line []byte) byte {
	for _, separator := range []byte(separators + " ") {
		if bytes.IndexByte(line, separator) < 0 {
			continue
		}
		fields := split(line, separator)
		numbers := len(fields) > 1
		for _, field := range fields {
			_, err := parseNumber(field)
			numbers = numbers && err == nil
		}
		if numbers {
			return separator
		}
	}
	return separatorOf(line)
}

// split splits a line into columns and removes surrounding blanks and quotation marks. Separators between quotation
// marks do not count.
func split(line []byte, separator byte) []string {
	if separator == blank {
		return unquotedAll(strings.Fields(string(line)))
	}
	var fields []string
	start, inQuotes := 0, false
	for i, b := range line {
		switch {
		case b == '"':
			inQuotes = !inQuotes
		case b == separator && !inQuotes:
			fields = append(fields, string(line[start:i]))
			start = i + 1
		}
	}
	if inQuotes { // an unclosed quotation mark is ignored
		return unquotedAll(strings.Split(string(line), string(separator)))
	}
	return unquotedAll(append(fields, string(line[start:])))
}

func unquotedAll(fields []string) []string {
	for i, field := range fields {
		field = strings.TrimSpace(field)
		if n := len(field); n >= 2 && field[0] == field[n-1] && (field[0] == '"' || field[0] == '\'') {
			field = strings.TrimSpace(field[1 : n-1])
		}
		fields[i] = field
	}
	return fields
}

// parseNumber parses a decimal number, with a decimal point or with a decimal comma.
func parseNumber(field string) (float64, error) {
	if strings.ContainsAny(field, "xX_") { // ParseFloat accepts 0x1p-2 and 1_000
		return 0, strconv.ErrSyntax
	}
	whole, fraction, comma := strings.Cut(field, ",")
	if comma && whole != "" && fraction != "" && !strings.ContainsAny(fraction, ",.") && !strings.Contains(whole, ".") {
		field = whole + "." + fraction
	}
	v, err := strconv.ParseFloat(field, 64)
	if errors.Is(err, strconv.ErrRange) {
		err = nil // an infinity; the limits refuse it
	}
	return v, err
}

// countNumbers returns how many fields look like numbers.
func countNumbers(fields []string) (n int) {
	for _, field := range fields {
		digits := strings.TrimLeft(field, "+-.")
		if _, err := parseNumber(field); err == nil || digits != "" && digits[0] >= '0' && digits[0] <= '9' {
			n++
		}
	}
	return n
}
