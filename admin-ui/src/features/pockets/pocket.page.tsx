import { Alert, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { asApiError } from '../../api/api-error.ts';
import { answerOf, api, BACKGROUND } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { useEnvironment } from '../../app/environment.ts';
import { useLive } from '../../live/use-live.ts';
import { Copy } from '../../ui/copy.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Loading } from '../../ui/loading.tsx';
import { MerchantLink } from '../../ui/merchant-link.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Time } from '../../ui/time.tsx';
import { NotesPanel } from '../notes/notes-panel.tsx';
import { EntriesPanel } from './entries-panel.tsx';

type Pocket = components['schemas']['StaffPocketDetail'];

/** One balance: what it is made of, and whether the books hold. */
export function PocketPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const live = useLive('pockets', 'withdrawals');
  const pocket = useQuery({
    queryKey: ['pocket', environment, id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/pockets/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  if (pocket.data === undefined) {
    return (
      <Page title={id}>
        {pocket.error === null ? (
          <Loading />
        ) : (
          <ErrorState error={asApiError(pocket.error)} onRetry={() => void pocket.refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={id}
      heading={`${pocket.data.token} on ${pocket.data.network}`}
      summary={<Copy value={id} label="pocket id" />}
    >
      <BalancePanel pocket={pocket.data} />
      <EntriesPanel pocket={pocket.data} />
      <ProofsPanel proofs={pocket.data.proofs} />
      <NotesPanel kind="pocket" id={id} />
    </Page>
  );
}

function BalancePanel({ pocket }: { readonly pocket: Pocket }) {
  const amount = ({ decimal, units }: Pocket['available']) => (
    <>
      {decimal} {pocket.token}{' '}
      <Text component="span" size="xs" c="dimmed">
        ({units} smallest units)
      </Text>
    </>
  );
  return (
    <Panel title="Balance">
      <Facts
        facts={[
          { label: 'Available', value: amount(pocket.available) },
          { label: 'Held by withdrawals', value: amount(pocket.held) },
          { label: 'Pending: seen, not final', value: amount(pocket.pending) },
          {
            label: 'Merchant',
            value: (
              <MerchantLink environment={pocket.environment} id={pocket.merchant_id} name={pocket.merchant_name} />
            ),
          },
          { label: 'Created', value: <Time at={pocket.created_at} /> },
        ]}
      />
    </Panel>
  );
}

const brokenRules = (count: number): string => (count === 1 ? '1 rule is broken' : `${count} rules are broken`);

const SCOPE = { everything: 'All books', new_entries: 'New entries' } as const;

/** The last audits of the books, which compare every balance with its entries and with the chains. */
function ProofsPanel({ proofs }: { readonly proofs: Pocket['proofs'] }) {
  return (
    <Panel title="Proof of the books">
      {proofs.length === 0 && <Text>No audit has run yet.</Text>}
      {proofs.map(({ scope, finished_at: at, broken_rules: broken, about_this_pocket: about }) => (
        <div key={scope}>
          <Text>
            {SCOPE[scope]}: {broken.length === 0 ? 'the books of this environment hold' : brokenRules(broken.length)},
            checked <Time at={at} />.
          </Text>
          {about.length > 0 && (
            <Alert color="red" variant="light" title="Findings about this pocket">
              {about.map((finding) => (
                <div key={finding}>{finding}</div>
              ))}
            </Alert>
          )}
        </div>
      ))}
    </Panel>
  );
}
