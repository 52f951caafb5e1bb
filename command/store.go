package command

import (
	"context"

	"github.com/trackgen-go/trackgen/dataset"
	"github.com/trackgen-go/trackgen/dataset/bucket"
)

// openStore opens the store of a data set by the name of its folder or the URL of its bucket, and returns what closes
// it. A folder that is not there is made if create is set, else it is an error.
func openStore(ctx context.Context, name string, create bool) (store dataset.Store, closed func() error, err error) {
	closed = func() error { return nil }
	switch {
	case bucket.IsURL(name):
		opened, err := bucket.Open(ctx, name)
		if err != nil {
			return nil, nil, datasetError(err)
		}
		return opened, opened.Close, nil
	case create:
		store, err = dataset.Folder(name)
	default:
		store, err = dataset.OpenFolder(name)
	}
	return store, closed, badInput(err)
}
