import { z } from 'zod';
import type { MonthSandbox } from './month-sandbox.ts';
import type { OpenShop, Team } from './opening.ts';
import { payFromWallet } from './payers.ts';
import type { Payouts } from './payouts.ts';
import { withdrawToRefusingContract } from './refused-payout.ts';

/** What a happening works with. */
export interface Stage {
  readonly sandbox: MonthSandbox;
  readonly team: Team;
  /** In the order of `SHOPS`. */
  readonly shops: readonly OpenShop[];
  readonly payouts: Payouts;
}

/** Something that happens besides the trade, once this share of the month is over. */
export interface Incident {
  readonly after: number;
  readonly what: string;
  readonly happen: (stage: Stage) => Promise<unknown>;
}

const [, ATELIER, PIXEL, , ORCHARD, KESTREL, TIDAL, BOREAL] = [0, 1, 2, 3, 4, 5, 6, 7];
/** Where a payer asks for a refund to. */
const PAYER = '0x8ba1f109551bd432803012645ac136ddd64dba72';
const PAYER_NETWORKS = new Set(['ethereum', 'polygon', 'bnb']);
const BUSY_POCKETS = new Set(['tron USDT', 'polygon USDC', 'ethereum USDC', 'solana USDC']);
const decisions = z.object({
  data: z.array(z.object({ deposit_id: z.string(), merchant_id: z.string().nullable(), network: z.string() })),
});
const created = z.object({ id: z.string() });

/** In the order of time. */
export const INCIDENTS: readonly Incident[] = [
  {
    after: 0.1,
    what: 'large withdrawals of one merchant need an approval, new destinations of another wait',
    happen: async ({ sandbox, team, shops }) => {
      const pockets = await shopOf(shops, ATELIER).merchant.pockets();
      const busy = pockets.filter(({ network, token }) => BUSY_POCKETS.has(`${network} ${token}`));
      for (const { id } of busy) await sandbox.coffer('policy', 'approval-above', id, '30000');
      const path = `/merchants/${shopOf(shops, KESTREL).merchant.id}/policy/tighten`;
      await team.kim.act(path, { new_destination_hours: 48, reason: 'They asked for it after a phishing mail.' });
    },
  },
  {
    after: 0.2,
    what: 'a developer opens an inbox',
    happen: async ({ team, shops }) => {
      const body = { merchant_id: shopOf(shops, TIDAL).merchant.id };
      const { id } = created.parse(await team.noor.act('/inboxes', body));
      await team.noor.act(`/inboxes/${id}/answer`, { answer: '200' });
    },
  },
  {
    after: 0.3,
    what: 'payments arrive without an intent',
    happen: async ({ sandbox }) => {
      await strayPayment(sandbox, 'polygon', 'USDC', 129_000_000n);
      await strayPayment(sandbox, 'ethereum', 'USDT', 40_000_000n);
    },
  },
  {
    after: 0.35,
    what: 'a merchant withdraws to a contract that refuses the coin',
    happen: ({ sandbox, shops }) => withdrawToRefusingContract(sandbox, shopOf(shops, TIDAL).merchant),
  },
  {
    after: 0.45,
    what: 'support recovers what an outage of a receiver has left',
    happen: ({ team, shops }) =>
      team.kim.act('/replay-jobs', {
        verb: 'recover',
        endpoint_id: shopOf(shops, PIXEL).endpointId,
        status: 'dead_letter',
        reason: 'Their database is back (ticket 4417).',
      }),
  },
  {
    after: 0.5,
    what: 'a merchant replaces a key',
    happen: async ({ team, shops }) => {
      const { id } = shopOf(shops, ORCHARD).merchant;
      const body = { name: 'Reporting', scopes: ['read'], reason: 'Asked for by their accountant.' };
      const key = created.parse(await team.emilia.act(`/merchants/${id}/keys`, body));
      await team.kim.act(`/keys/${key.id}/revoke`, { reason: 'It was pasted into a public chat.' });
      await team.emilia.act(`/merchants/${id}/tolerance`, { tolerance_bps: 50, reason: 'Their wallets round down.' });
    },
  },
  {
    after: 0.55,
    what: 'a listener is paused while its nodes move',
    happen: async ({ team }) => {
      await team.noor.act('/networks/bnb/pause', { reason: 'Our nodes move to the new data centre.' });
      await team.emilia.act('/networks/bnb/resume', { reason: 'The nodes are back.' });
    },
  },
  {
    after: 0.6,
    what: 'a member leaves',
    happen: async ({ sandbox, team }) => {
      const [tom] = await sandbox.query<{ id: string }>('select id from staff where email = $1', [team.tom.email]);
      await team.emilia.act(`/team/${tom?.id ?? ''}/disable`, { reason: 'Left the company.' });
    },
  },
  {
    after: 0.7,
    what: 'staff decide about deposits that belong to no intent',
    happen: async ({ team, shops }) => {
      const waiting = await waitingDeposits(team, 'unattributed');
      const refunded = waiting.find(({ network }) => PAYER_NETWORKS.has(network));
      const credited = waiting.find((deposit) => deposit !== refunded);
      if (credited !== undefined) {
        const body = { merchant_id: credited.merchant_id ?? shopOf(shops, ATELIER).merchant.id };
        await team.emilia.act(`/deposits/${credited.deposit_id}/credit`, {
          ...body,
          reason: 'The customer sent a receipt.',
        });
      }
      if (refunded !== undefined) {
        const body = { address: PAYER, reason: 'Asked for by the payer.' };
        await team.emilia.act(`/deposits/${refunded.deposit_id}/refund`, body);
      }
      const [kept] = await waitingDeposits(team, 'on_hold');
      if (kept !== undefined)
        await team.noor.act(`/deposits/${kept.deposit_id}/keep`, { reason: 'Reported to the authority.' });
    },
  },
  {
    after: 0.8,
    what: 'support notes what it has learned',
    happen: async ({ sandbox, team }) => {
      const short = await sandbox.query<{ id: string }>(
        `select id from payment_intent where received_crypto_amount > 0 and received_crypto_amount < crypto_amount
          order by id limit 3`,
      );
      for (const { id } of short) {
        const note = 'Exchange took its fee from the amount. The merchant ships anyway.';
        await team.kim.act('/notes', { subject_kind: 'payment_intent', subject_id: id, text: note });
        await team.kim.act('/acknowledgements', { kind: 'payment_intent', id, note: 'Agreed with the merchant.' });
      }
    },
  },
  {
    after: 0.9,
    what: 'large withdrawals are ordered: one is approved, one is cancelled, one waits',
    happen: async ({ sandbox, team, payouts }) => {
      for (let n = 0; n < 3; n += 1) await payouts.order(ATELIER);
      const [approved, cancelled] = await sandbox.query<{ id: string }>(
        `select w.id from withdrawal w join approval_threshold t on t.pocket_id = w.pocket_id
          where w.status = 'broadcasting' and w.amount > t.amount order by w.id`,
      );
      if (approved !== undefined) {
        // Who made the key that ordered it must not approve it.
        await team.owner.act(`/withdrawals/${approved.id}/approve`, { reason: 'Confirmed by phone.' });
      }
      if (cancelled !== undefined) {
        await team.kim.act(`/withdrawals/${cancelled.id}/cancel`, { reason: 'The merchant named a wrong address.' });
      }
    },
  },
  {
    after: 0.94,
    what: 'signing is frozen for a merchant, and another turns its endpoint off',
    happen: async ({ team, shops, payouts }) => {
      const { merchant, endpointId } = shopOf(shops, BOREAL);
      const body = { kind: 'merchant', id: merchant.id, reason: 'Their mailbox was broken into.' };
      await team.noor.act('/signing/freeze', body);
      await payouts.order(BOREAL);
      await merchant.disableEndpoint(endpointId);
    },
  },
  {
    after: 0.97,
    what: 'more payments arrive without an intent',
    happen: ({ sandbox }) => strayPayment(sandbox, 'polygon', 'USDC', 75_500_000n),
  },
];

/** Pays an address that no intent has had. */
async function strayPayment(sandbox: MonthSandbox, network: string, token: string, amount: bigint): Promise<void> {
  const [free] = await sandbox.query<{ address: string }>(
    `select address from pool_address where intent_id is null and family = 'evm' and environment = 'sandbox'
      order by derivation_index desc limit 1`,
  );
  await payFromWallet(sandbox, network, { to: free?.address ?? '', token, amount });
}

async function waitingDeposits({ owner }: Team, kind: string): Promise<z.infer<typeof decisions>['data']> {
  await owner.signIn();
  return decisions.parse(await owner.get(`/decisions?kind=${kind}&limit=10`)).data;
}

function shopOf(shops: readonly OpenShop[], index: number | undefined): OpenShop {
  const shop = shops[index ?? 0];
  if (shop === undefined) throw new Error(`There is no shop ${index}.`);
  return shop;
}
