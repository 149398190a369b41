//go:build unix

package broker

import (
	"context"
	"fmt"
	"syscall"
	"time"
)

// suspendTime bounds how long a process may take to stand still.
const suspendTime = 10 * time.Second

// suspend stops a process and waits until it stands still. It need not be resumed to
// be killed.
func (p *process) suspend() error {
	if err := p.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		return fmt.Errorf("stop process %d: %w", p.Cmd.Process.Pid, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), suspendTime)
	defer cancel()
	for {
		still, err := standsStill(p.Cmd.Process.Pid)
		if still {
			return nil
		}
		if err == nil {
			err = fmt.Errorf("process %d moves after SIGSTOP", p.Cmd.Process.Pid)
		}
		if err := again(ctx, err); err != nil {
			p.resume()
			return err
		}
	}
}

// resume lets a process go on.
func (p *process) resume() { _ = p.Cmd.Process.Signal(syscall.SIGCONT) } // fails only if it is gone
