package cli

import "github.com/spf13/cobra"

func newRoot(s *State) *cobra.Command {
	root := &cobra.Command{
		Use:   "kcompare",
		Short: "Tell the truth about Kafka client libraries",
		Long: `kcompare runs the same story through several Kafka client libraries, loses answers
and kills connections at the same logical points, reads the log back, and prints
what each library promised and what really happened.`,
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("command", args[0], commandNames(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetOut(s.Stdout)
	root.SetErr(s.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(newRun(s), newScenarios(s), newClients(s), newReport(s), newBroker(s), newProxy(s), newTopics(s), newConfig(s), newLint(s), newProbe(s), newDocs(s), newBench(s), newContestant(s), newServeClient(s))
	return root
}

func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}
