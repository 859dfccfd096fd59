import '@mantine/core/styles/Code.layer.css';
import { Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import { useEnvironment } from '../../app/environment.ts';
import { POLL_MS, useLive } from '../../live/use-live.ts';
import { Commands } from '../../ui/commands.tsx';
import { Copy } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { IdLink } from '../../ui/id-link.tsx';
import { Loading } from '../../ui/loading.tsx';
import { MerchantLink } from '../../ui/merchant-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { shortHash, shortId } from '../../ui/short.ts';
import { statusTextOr } from '../../ui/status-words.ts';
import { Time } from '../../ui/time.tsx';
import { DecisionsPanel, TransactionPanel } from '../withdrawals/progress-panel.tsx';
import { type Deposit, DepositActions } from './deposit-actions.tsx';
import { DepositStatus } from './deposit-status.tsx';

/** One deposit: where its money is, and what staff can decide about it. */
export function DepositPage() {
  const environment = useEnvironment();
  const client = useQueryClient();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const key = ['deposit', environment, id];
  const live = useLive('intents', 'pockets');
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/deposits/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: client.getQueryData(key) === undefined ? {} : BACKGROUND,
        }),
      ),
    refetchOnMount: 'always',
    ...live,
    // Finality, bookings and the way of a refund depend on nodes and workers too.
    refetchInterval: ({ state: { data: shown } }) =>
      shown?.booked_at === null || shown?.held_as === 'returning' ? POLL_MS : live.refetchInterval(),
  });
  if (data === undefined) {
    return (
      <Page title={id}>
        {error === null ? <Loading /> : <ErrorState error={asApiError(error)} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  const { refund, commands } = data;
  return (
    <Page
      title={id}
      heading={id}
      summary={
        <span aria-live="polite">
          <DepositStatus deposit={data} />
        </span>
      }
    >
      <Panel title="What happened">
        <Text fw={600}>{data.sentence}</Text>
        {commands.length > 0 && <Commands commands={commands} />}
        <DepositActions deposit={data} />
      </Panel>
      <DepositFacts deposit={data} />
      {refund !== null && (
        <>
          <Panel title="Refund">
            <Facts
              facts={[
                {
                  label: 'Refund',
                  value: <Copy value={refund.id} label="id of the refund" shown={shortId(refund.id)} />,
                },
                { label: 'Status', value: statusTextOr(refund.status) },
                { label: 'To', value: <Copy value={refund.destination} label="destination" />, isWide: true },
                { label: 'Waits for', value: refund.standing, isRare: true },
                { label: 'Failed', value: refund.failure, isRare: true },
                {
                  label: 'Transaction',
                  value: refund.tx_hash && (
                    <Copy value={refund.tx_hash} label="transaction hash" shown={shortHash(refund.tx_hash)} />
                  ),
                },
                { label: 'Ordered', value: <Time at={refund.ordered_at} /> },
              ]}
            />
          </Panel>
          <TransactionPanel progress={refund} />
        </>
      )}
      <DecisionsPanel decisions={data.decisions} />
    </Page>
  );
}

function DepositFacts({ deposit }: { readonly deposit: Deposit }) {
  const environment = useEnvironment();
  const {
    payment_intent_id: intent,
    merchant_id: merchantId,
    merchant_name: merchant,
    from_address: sender,
    tx_hash: hash,
  } = deposit;
  return (
    <Panel title="Deposit">
      <Facts
        facts={[
          { label: 'Amount', value: `${deposit.amount_decimal} ${deposit.token} on ${deposit.network}` },
          {
            label: 'Merchant',
            value: merchant && merchantId && <MerchantLink environment={environment} id={merchantId} name={merchant} />,
          },
          {
            label: deposit.pays_intent ? 'Pays the intent' : 'Intent of the address',
            value: intent && <IdLink to={`/${environment}/intents/${intent}`} id={intent} />,
          },
          { label: 'Address', value: <Copy value={deposit.address} label="address" />, isWide: true },
          { label: 'From', value: sender && <Copy value={sender} label="sender" />, isWide: true },
          {
            label: 'Transaction',
            value:
              hash === null ? (
                'Inside of a contract'
              ) : (
                <Copy value={hash} label="transaction hash" shown={shortHash(hash)} />
              ),
          },
          { label: 'Block', value: deposit.block_number },
          { label: 'Seen', value: <Time at={deposit.seen_at} /> },
          { label: 'Booked', value: deposit.booked_at && <Time at={deposit.booked_at} /> },
        ]}
      />
    </Panel>
  );
}
