module example.com/kernels

go 1.26.0

require github.com/trackgen-go/trackgen v0.0.0

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.25.0 // indirect
	golang.org/x/tools v0.52.1-0.20261106145633-d407941a339a // indirect
)

replace github.com/trackgen-go/trackgen => ../..

tool github.com/trackgen-go/trackgen/cmd/kernelgen
