import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { POLL_MS, useLive } from '../../live/use-live.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { MerchantLink } from '../../ui/merchant-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { shortHash } from '../../ui/short.ts';
import { Time } from '../../ui/time.tsx';
import { NotesPanel } from '../notes/notes-panel.tsx';
import { FrozenBy } from './frozen-by.tsx';
import { DecisionsPanel, TransactionPanel } from './progress-panel.tsx';
import { WithdrawalActions } from './withdrawal-actions.tsx';
import { WithdrawalStatus } from './withdrawal-status.tsx';

const hasEnded = (status: string | undefined): boolean => status === 'completed' || status === 'failed';

/** One withdrawal, and why it waits. */
export function WithdrawalPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const live = useLive('withdrawals');
  const { data, error, refetch } = useQuery({
    queryKey: ['withdrawal', environment, id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/withdrawals/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
    // Why it waits depends on wallets and nodes too, which no topic reports.
    refetchInterval: ({ state }) => (hasEnded(state.data?.status) ? live.refetchInterval() : POLL_MS),
  });
  if (data === undefined) {
    return (
      <Page title={id}>
        {error === null ? <Loading /> : <ErrorState error={asApiError(error)} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return (
    <Page title={id} heading={id} summary={<WithdrawalStatus withdrawal={data} />}>
      <Panel title="What happened">
        <Text fw={600}>{data.sentence}</Text>
        {data.sweeps.map(({ id: sweep, expected_decimal: expected, progress }) => (
          <Text key={sweep} size="sm">
            The sweep {sweep} brings {expected} {data.token} ({progress}).
          </Text>
        ))}
        <FrozenBy frozen={data.frozen} />
        {data.commands.length > 0 && <Commands commands={data.commands} />}
        <WithdrawalActions withdrawal={data} />
      </Panel>
      <Panel title="Withdrawal">
        <Facts
          facts={[
            { label: 'Amount', value: `${data.amount_decimal} ${data.token} on ${data.network}` },
            { label: 'Fee', value: `${data.fee_decimal} ${data.token} (${data.fee_strategy})` },
            {
              label: 'Merchant',
              value: <MerchantLink environment={data.environment} id={data.merchant_id} name={data.merchant_name} />,
            },
            { label: 'To', value: <Copy value={data.destination} label="destination" />, isWide: true },
            {
              label: 'From pocket',
              value: <IdLink to={`/${environment}/pockets/${data.pocket_id}`} id={data.pocket_id} />,
            },
            { label: 'Reference', value: data.reference === null ? null : <ForeignText value={data.reference} /> },
            {
              label: 'Transaction',
              value: data.tx_hash && (
                <Copy value={data.tx_hash} label="transaction hash" shown={shortHash(data.tx_hash)} />
              ),
            },
            {
              label: 'Looks like',
              isRare: true,
              value: data.similar_destinations.length === 0 ? null : data.similar_destinations.join(', '),
            },
            {
              label: 'Approved',
              isRare: true,
              value: data.approval && (
                <>
                  by {data.approval.approved_by}, <Time at={data.approval.approved_at} />
                </>
              ),
            },
            { label: 'Created', value: <Time at={data.created_at} /> },
            { label: 'Completed', value: data.completed_at === null ? null : <Time at={data.completed_at} /> },
          ]}
        />
      </Panel>
      <TransactionPanel progress={data} />
      <DecisionsPanel decisions={data.decisions} />
      <NotesPanel kind="withdrawal" id={id} />
    </Page>
  );
}
