package sarama

import "strings"

// logger hands what sarama tells on its channels to Settings.Log, a line each.
type logger func(line string)

func (l logger) tell(what string, err error) {
	if l != nil {
		l(what + ": " + strings.ReplaceAll(err.Error(), "\n", " "))
	}
}
