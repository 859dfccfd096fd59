import { Copy } from '../../ui/copy.tsx';
import { Facts } from '../../ui/facts.tsx';
import { ForeignText } from '../../ui/foreign-text.tsx';
import { MerchantLink } from '../../ui/merchant-link.tsx';
import { fiatText } from '../../ui/money.ts';
import { Panel } from '../../ui/panel.tsx';
import { shortId } from '../../ui/short.ts';
import { Time } from '../../ui/time.tsx';
import { explorerUrl, type IntentDetail } from './intent-object.ts';

/** The fields of an intent. */
export function IntentFacts({ intent }: { readonly intent: IntentDetail }) {
  const { currency, token, network, address, reference, origin } = intent;
  const addressPage = address === null ? null : explorerUrl(intent.explorer, 'address', address);
  const fiat = (cents: number): string => fiatText(cents, currency);
  return (
    <Panel title="Payment">
      <Facts
        facts={[
          { label: 'Amount', value: fiat(intent.amount_cents) },
          {
            label: 'To pay',
            value:
              intent.crypto_amount_decimal === null
                ? `${token} on ${network}, not quoted yet`
                : `${intent.crypto_amount_decimal} ${token} on ${network}`,
          },
          { label: 'Received', value: fiat(intent.received_amount_cents) },
          { label: 'Remaining', value: fiat(intent.remaining_amount_cents) },
          ...(intent.overpaid_amount_cents > 0
            ? [{ label: 'Too much', value: fiat(intent.overpaid_amount_cents) }]
            : []),
          ...(intent.accepted_shortfall_cents > 0
            ? [{ label: 'Accepted shortfall', value: fiat(intent.accepted_shortfall_cents) }]
            : []),
          { label: 'Reference', value: reference === null ? null : <ForeignText value={reference} /> },
          {
            label: 'Merchant',
            value: (
              <MerchantLink environment={intent.environment} id={intent.merchant_id} name={intent.merchant_name} />
            ),
          },
          {
            label: 'Address',
            isWide: true,
            value:
              address === null ? null : (
                <>
                  <Copy value={address} label="address" />
                  {addressPage !== null && <ExplorerLink href={addressPage} />}
                </>
              ),
          },
          { label: 'Created', value: <Time at={intent.created_at} /> },
          { label: 'Expires', value: <Time at={intent.expires_at} /> },
          { label: 'Completed', value: intent.completed_at === null ? null : <Time at={intent.completed_at} /> },
          {
            label: 'Created by key',
            value: origin.api_key_id && (
              <Copy value={origin.api_key_id} label="API key id" shown={shortId(origin.api_key_id)} />
            ),
          },
          {
            label: 'Created by request',
            value: origin.request_id && (
              <Copy value={origin.request_id} label="request id" shown={shortId(origin.request_id)} />
            ),
          },
        ]}
      />
    </Panel>
  );
}

/** Opens a page of a public explorer: the only links that leave the console. */
export function ExplorerLink({ href }: { readonly href: string }) {
  return (
    <a href={href} target="_blank" rel="noreferrer">
      explorer
    </a>
  );
}
