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
import { ForeignText } from '../../ui/foreign-text.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PlaceLink } from '../../ui/place-link.tsx';
import { Time } from '../../ui/time.tsx';
import { KeysPanel } from './keys-panel.tsx';
import { MerchantActions } from './merchant-actions.tsx';
import { MerchantState } from './merchant-state.tsx';
import { PolicyPanel } from './policy-panel.tsx';
import { EndpointsPanel, PocketsPanel } from './related-panels.tsx';

type Merchant = components['schemas']['Merchant'];

/** One merchant: what they may, their keys, their rules, and where their money and their webhooks go. */
export function MerchantPage() {
  const environment = useEnvironment();
  const { id = '' }: { id?: string } = useParams({ strict: false });
  const live = useLive('merchants');
  const merchant = useQuery({
    queryKey: [environment, 'merchants', id],
    queryFn: ({ signal }) =>
      answerOf(
        api.GET('/admin/api/{environment}/merchants/{id}', {
          params: { path: { environment, id } },
          signal,
          headers: BACKGROUND,
        }),
      ),
    ...live,
  });
  if (merchant.data === undefined) {
    return (
      <Page title="Merchant">
        {merchant.error === null ? (
          <Loading />
        ) : (
          <ErrorState error={asApiError(merchant.error)} onRetry={() => void merchant.refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page
      title={`Merchant ${id}`}
      heading={<ForeignText value={merchant.data.name} max={120} />}
      summary={<Copy value={id} label="merchant id" />}
    >
      <StatePanel merchant={merchant.data} />
      <KeysPanel merchant={merchant.data} />
      <PolicyPanel merchantId={id} />
      <PocketsPanel merchantId={id} />
      <EndpointsPanel merchantId={id} />
    </Page>
  );
}

function StatePanel({ merchant }: { readonly merchant: Merchant }) {
  const environment = useEnvironment();
  const { verified_at: verifiedAt, tolerance_bps: bps } = merchant;
  return (
    <Panel title="Status" actions={<MerchantActions merchant={merchant} />}>
      <Facts
        facts={[
          { label: 'Live keys', value: <MerchantState merchant={merchant} /> },
          { label: 'Verified', value: verifiedAt === null ? 'not yet' : <Time at={verifiedAt} /> },
          {
            label: 'Underpayment tolerance',
            value: bps === 0 ? 'none' : `${bps / 100} % (${bps} basis points)`,
          },
          {
            label: 'Last API call',
            value: merchant.key_last_used_at === null ? 'never' : <Time at={merchant.key_last_used_at} />,
          },
          { label: 'Created', value: <Time at={merchant.created_at} /> },
          {
            label: 'Payments',
            value: <PlaceLink to={`/${environment}/intents?merchant_id=${merchant.id}`}>Payment intents</PlaceLink>,
          },
        ]}
      />
    </Panel>
  );
}
