//go:build !unix

package broker

import "errors"

// suspend is an error: only Unix can stop a process.
func (p *process) suspend() error {
	return errors.New("this system cannot stop a process and let it go on")
}

func (p *process) resume() {}
