module github.com/trackgen-go/trackgen

go 1.26.8
