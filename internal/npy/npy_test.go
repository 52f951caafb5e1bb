package npy

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHeaderIsNumPys(t *testing.T) {
	for _, header := range []Header{
		{Descr: "<f4"}, {Descr: "<i4", Shape: []int64{3}}, {Descr: "<f4", Shape: []int64{512, 384, 3}}, {Descr: "<U12"},
	} {
		text := header.Encode()
		require.Zero(t, len(text)%alignment)
		got, size, err := ReadHeader(bytes.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, int64(len(text)), size)
		require.Equal(t, header, got)
	}
	text := Header{Descr: "<f4", Shape: []int64{3}}.Encode()
	require.Contains(t, string(text), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }")
}

func TestDictionaries(t *testing.T) {
	for text, want := range map[string]Header{
		`{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`: {Descr: "<f4", Shape: []int64{2, 3}},
		`{"shape":(2,),"fortran_order":True,"descr":"<i4"}` + "\n":    {Descr: "<i4", Fortran: true, Shape: []int64{2}},
		"{ 'descr' : '<f4' ,\n'fortran_order': False, 'shape': ( ) }": {Descr: "<f4"},
	} {
		got, err := parseDictionary(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got)
	}
	const good = `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}`
	for n := range len(good) {
		_, err := parseDictionary(good[:n])
		require.Error(t, err, good[:n])
	}
	for text, want := range map[string]string{
		strings.Replace(good, "2", "-2", 1):                     "expected a whole number",
		strings.Replace(good, "2", "99999999999999999999", 1):   "expected a whole number",
		strings.Replace(good, "2", "0x2", 1):                    "expected",
		strings.Replace(good, "2", strings.Repeat("1,", 40), 1): "more than 32 axes",
		strings.Replace(good, "False", "0", 1):                  "expected True or False",
		strings.Replace(good, "'<f4'", "[('x', '<f4')]", 1):     "arrays of records are not read",
		strings.Replace(good, "<f4", `<f4\'`, 1):                "holds an escape",
		strings.Replace(good, "}", ", 'descr': '<f4'}", 1):      `key "descr" twice`,
		strings.Replace(good, "}", ", 'other': '<f4'}", 1):      `unknown key "other"`,
		strings.Replace(good, "'descr': '<f4', ", "", 1):        `key "descr" is missing`,
		good + "x": "after the dictionary",
		"__import__('os').system('true')" + strings.Repeat(" ",
			64): `found "__import__('os').system('true') ..." , expected "{"`,
	} {
		_, err := parseDictionary(text)
		require.ErrorContains(t, err, strings.Replace(want, `" ,`, `",`, 1), text)
	}
}

func FuzzHeader(f *testing.F) {
	f.Add(Header{Descr: "<f4", Shape: []int64{512, 384, 3}}.Encode())
	f.Add(Header{Descr: "<U12"}.Encode())
	f.Add([]byte(Magic + "\x02\x00\x40\x00\x00\x00{'shape': (1,), 'descr': \"|O\", 'fortran_order': True}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		header, size, err := ReadHeader(bytes.NewReader(data))
		if err != nil {
			return
		}
		require.LessOrEqual(t, size, int64(len(data)))
		if strings.ContainsAny(header.Descr, `'"`) {
			return // encode cannot write other types
		}
		again, _, err := ReadHeader(bytes.NewReader(header.Encode()))
		require.NoError(t, err)
		require.Equal(t, header, again)
	})
}
