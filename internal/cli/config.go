package cli

import "github.com/spf13/cobra"

// newConfig is `kcompare config`: what settings mean, to each client.
func newConfig(s *State) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Explain, convert and verify client settings",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknown("command", args[0], commandNames(cmd))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConfigParts(s)...)
	return cmd
}

// newConfigParts are the commands below config, a file each.
func newConfigParts(s *State) []*cobra.Command {
	return []*cobra.Command{
		newConfigConvert(s),
		newConfigVerify(s),
		newConfigExplain(s),
		newConfigDefaults(s),
	}
}
