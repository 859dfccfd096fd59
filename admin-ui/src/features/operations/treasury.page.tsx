import { Stack } from '@mantine/core';
import { answerOf, api } from '../../api/client.ts';
import { EmptyState } from '../../ui/data-table.tsx';
import { byNetwork } from '../../ui/networks.ts';
import { StatePage } from './state-page.tsx';
import { ComparisonsPanel, WriteOffsPanel } from './treasury-books.tsx';
import { SetAsidePanel, StakesPanel, SweepsPanel, TopUpsPanel } from './treasury-moves.tsx';
import { WalletPanel } from './wallet-panel.tsx';

/** Our own funds: what the hot wallets hold, what comes, and what is missing. */
export function TreasuryPage() {
  return (
    <StatePage
      title="Treasury"
      summary="The hot wallets that pay withdrawals, as last read. The console does not move their funds. An operator does that with the commands below."
      topic="treasury"
      name="treasury"
      load={({ params, signal, headers }) =>
        answerOf(api.GET('/admin/api/{environment}/treasury', { params, signal, headers }))
      }
    >
      {(treasury) => (
        <Stack gap="md">
          {treasury.wallets.length === 0 && (
            <EmptyState
              title="No hot wallet yet"
              hint="A process with the role vault stores one for each network once its vault is open."
            />
          )}
          {byNetwork(treasury.wallets).map((wallet) => (
            <WalletPanel key={wallet.id} wallet={wallet} />
          ))}
          <ComparisonsPanel comparisons={treasury.comparisons} />
          <WriteOffsPanel writeOffs={treasury.write_offs} />
          <TopUpsPanel topUps={treasury.top_ups} />
          <SweepsPanel sweeps={treasury.sweeps} />
          <SetAsidePanel balances={treasury.set_aside} />
          {treasury.stake_commands.length > 0 && (
            <StakesPanel stakes={treasury.stakes} commands={treasury.stake_commands} />
          )}
        </Stack>
      )}
    </StatePage>
  );
}
