import { randomInt } from 'node:crypto';
import type { Page } from 'playwright-core';
import { newId } from '../../src/domain/ids.js';
import { SettlementService } from '../../src/payments/intents/settlement.service.js';
import { SuspenseBooking } from '../../src/suspense/suspense-booking.service.js';
import { eventuallyPasses } from '../support/eventually.js';
import { aDeposit, aMerchant } from '../support/factories.js';
import { confirmAsListed, listExactly } from '../support/listed-senders.js';
import { query } from '../support/sql.js';
import { anUnattributedDeposit } from '../support/unattributed-deposits.js';
import { bookedWithdrawalIn } from './decide-operations.js';
import type { MailDesk } from './mail-desk.js';
import type { MailScene } from './mail-scene.js';

/** A mail as support gets it. */
export interface Mail {
  readonly text: string;
  /** The page that opens, such as `intent pi_...`; null when the result of the search is the answer. */
  readonly lands: string | null;
  /** What the page, or the result, says. */
  readonly says: RegExp;
  /** The kind of the action beside the sentence. */
  readonly offers?: string;
  /** Does what is offered, and proves that it is done. */
  readonly follow: (desk: MailDesk) => Promise<void>;
  /** What the page says afterwards instead, where that mends it. */
  readonly afterwards?: RegExp;
}

/** How far the console goes: it mends, it leads to the thing, or it gives the answer to send. */
type Ending = 'mends it' | 'leads on' | 'answers it';

const copyAnswer =
  (label: string, ...parts: readonly string[]) =>
  async (desk: MailDesk): Promise<void> => {
    await desk.press(desk.page.getByRole('button', { name: label }));
    // Not by "Copied", which is shown for a moment only.
    await eventuallyPasses(async () => {
      const copied = await desk.copied();
      for (const part of parts) expect(copied).toContain(part);
    });
  };

/** Decides about the payment that an intent names. */
const decideOnPayment =
  (verb: string, outcome: RegExp) =>
  async (desk: MailDesk): Promise<void> => {
    const { page } = desk;
    await desk.press(page.getByRole('link', { name: 'Decide about the payment' }));
    await desk.press(page.getByRole('button', { name: verb }));
    await desk.write(page.getByLabel('Reason, for the audit log'), 'The shop and the payer agree.');
    await desk.press(inDialog(page, verb));
    await page.getByText(outcome).first().waitFor();
  };

const openFound =
  (id: string, address: string) =>
  async (desk: MailDesk): Promise<void> => {
    await desk.press(desk.page.getByRole('link', { name: id }));
    await desk.page.waitForURL(`**${address}`);
    await desk.page.locator('[data-code="not_paid"]').waitFor();
  };

const inDialog = (page: Page, name: string | RegExp) => page.getByRole('dialog').getByRole('button', { name });

export const MAILS: readonly (readonly [what: string, ending: Ending, mail: (scene: MailScene) => Promise<Mail>])[] = [
  [
    'a hash inside a sentence',
    'answers it',
    async (scene) => {
      const paid = await scene.intent({ status: 'completed' });
      const hash = await scene.hashOf(await aDeposit(scene.service.database, paid, { status: 'confirmed' }));
      return {
        text: `Hi!\nI paid with ${hash},\r\nwhy does nothing happen?\n\nBest,\nA customer`,
        lands: `intent ${paid.id}`,
        says: /is paid/,
        offers: 'answer_merchant',
        follow: copyAnswer('Copy answer for the merchant', paid.id, 'completed'),
      };
    },
  ],
  [
    'a wrong letter case',
    'answers it',
    async (scene) => {
      const open = await scene.intent();
      return {
        text: `0X${open.address.slice(2).toUpperCase()}`,
        lands: `intent ${open.id}`,
        says: /^No payment of 25 USDC/,
        offers: 'answer_payer',
        follow: copyAnswer('Copy answer for the payer', 'Your payment of 25.00 USD'),
      };
    },
  ],
  [
    'two intents with one reference',
    'leads on',
    async (scene) => {
      const ids = [(await scene.intent()).id, (await scene.intent()).id];
      const reference = `INV-${randomInt(1e9)}`;
      await query(scene.service.database, `update payment_intent set reference = $2 where id = any($1)`, [
        ids,
        reference,
      ]);
      const [, second = ''] = ids;
      return {
        text: `Our invoice ${reference} is open.`,
        lands: null,
        says: new RegExp(`^Several objects have the reference "${reference}"\\.$`),
        follow: openFound(second, `/sandbox/intents/${second}`),
      };
    },
  ],
  [
    'an unknown id',
    'answers it',
    () => {
      const id = newId('pi_');
      return Promise.resolve({
        text: `Please cancel ${id}`,
        lands: null,
        says: new RegExp(`^Nothing here is known as ${id}\\.$`),
        follow: copyAnswer('Copy answer', `We know no payment by ${id}.`, 'Please send us'),
      });
    },
  ],
  [
    "the other environment's id",
    'leads on',
    async (scene) => {
      const { merchantId } = await aMerchant(scene.service.database);
      const { id } = await scene.intent({ tenant: { merchantId, environment: 'live' }, chain: scene.liveChain });
      return {
        text: id,
        lands: null,
        says: /^One object that the text names is in live, not in sandbox\.$/,
        follow: openFound(id, `/live/intents/${id}`),
      };
    },
  ],
  [
    'USDT instead of USDC',
    'mends it',
    async (scene) => {
      const { id, address } = await scene.intent();
      const { service, chain, usdt: contract } = scene;
      const traits = { chain, address, reason: 'other_token', contract } as const;
      const stray = await anUnattributedDeposit(service.database, traits);
      // As a worker does within seconds.
      await service.service.get(SuspenseBooking).bookFinal();
      return {
        text: `The customer sent USDT, see ${await scene.hashOf(stray)}`,
        lands: `intent ${id}`,
        says: /arrived at the address of this intent on polygon, but it asks for USDC/,
        offers: 'open_deposit',
        follow: decideOnPayment('Credit the merchant', /It was credited to a pocket/),
        afterwards: /^No payment of 25 USDC/,
      };
    },
  ],
  [
    'paid late',
    'answers it',
    async (scene) => {
      const late = await scene.intent({ status: 'expired', expiresIn: -600 });
      const deposit = await aDeposit(scene.service.database, late, { status: 'confirmed' });
      await query(scene.service.database, 'update deposit set late = true where id = $1', [deposit]);
      return {
        text: `${late.address} was paid!`,
        lands: `intent ${late.id}`,
        says: /^25 USDC arrived after this intent had ended/,
        offers: 'answer_merchant',
        follow: copyAnswer('Copy answer for the merchant', late.id, 'expired'),
      };
    },
  ],
  [
    'an endpoint that is disabled',
    'mends it',
    async (scene) => {
      const { paid, eventId } = await scene.completion();
      const shop = await scene.shop(paid, { isEnabled: false });
      await scene.delivery(eventId, shop, 'held', null);
      return {
        text: `${paid.id}: no webhook`,
        lands: `intent ${paid.id}`,
        says: /the endpoint http:\S+ is disabled/,
        offers: 'open_endpoint',
        follow: async (desk) => {
          await desk.press(desk.page.getByRole('link', { name: 'Open the endpoint' }));
          await desk.press(desk.page.getByRole('button', { name: 'Enable' }));
          await desk.write(desk.page.getByLabel('Reason, for the audit log'), 'The shop asked for it.');
          await desk.press(inDialog(desk.page, 'Enable'));
          await shop.accepts();
        },
        afterwards: /is paid/,
      };
    },
  ],
  [
    'an event that was never owed',
    'mends it',
    async (scene) => {
      const { paid, eventId } = await scene.completion();
      const shop = await scene.shop(paid);
      return {
        text: `We never got ${eventId}.`,
        lands: `intent ${paid.id}`,
        says: /^No webhook was sent when the intent completed/,
        offers: 'send_missing',
        follow: async (desk) => {
          await desk.press(desk.page.getByRole('link', { name: 'Open the endpoint to send what it missed' }));
          await desk.press(desk.page.getByRole('button', { name: 'Send missing events' }));
          await desk.press(inDialog(desk.page, 'Send 1'));
          await desk.page.getByText('1 sent: 1 delivered, 0 failed again, 0 waiting.').waitFor();
          await shop.accepts();
        },
        afterwards: /is paid/,
      };
    },
  ],
  [
    'a wrong secret at the receiver',
    'mends it',
    async (scene) => {
      const { paid, eventId } = await scene.completion();
      const shop = await scene.shop(paid, { isMistaken: true });
      await scene.delivery(eventId, shop, 'dead_letter', 401);
      return {
        text: paid.id,
        lands: `intent ${paid.id}`,
        says: /was answered 401/,
        offers: 'resend',
        follow: async (desk) => {
          shop.setSecret();
          await desk.press(desk.page.getByRole('link', { name: 'Open the delivery to resend it' }));
          await desk.press(desk.page.getByRole('button', { name: 'Resend' }));
          await desk.press(inDialog(desk.page, 'Resend'));
          await desk.page.getByText('Answered 200').waitFor();
          await shop.accepts();
        },
        afterwards: /is paid/,
      };
    },
  ],
  [
    'a payment on hold',
    'mends it',
    async (scene) => {
      const { database } = scene.service;
      const held = await scene.intent({ status: 'processing' });
      const deposit = await aDeposit(database, held);
      const [row] = await query<{ from_address: string }>(database, 'select from_address from deposit where id = $1', [
        deposit,
      ]);
      const [listing = ''] = await listExactly(database, row?.from_address ?? '');
      await confirmAsListed(database, deposit, listing);
      await scene.service.service.get(SettlementService).settle(held.id);
      return {
        text: await scene.hashOf(deposit),
        lands: `intent ${held.id}`,
        says: /is on hold/,
        offers: 'open_deposit',
        follow: decideOnPayment('Release', /It is in the merchant's pocket/),
        afterwards: /is paid/,
      };
    },
  ],
  [
    'a withdrawal that waits',
    'mends it',
    async (scene) => {
      const id = await bookedWithdrawalIn({ service: scene.service, environment: 'sandbox' });
      return {
        text: `When is ${id} paid?`,
        lands: `withdrawal ${id}`,
        says: /^The amount needs approval\. An administrator must approve it here\.$/,
        follow: async (desk) => {
          const { page } = desk;
          await desk.press(page.getByRole('button', { name: 'Approve' }));
          await desk.write(page.getByLabel('Reason, for the audit log'), 'The shop confirmed it by phone.');
          await desk.press(inDialog(page, 'Approve'));
          await page.getByText(/^It was approved by kim@example\.com/).waitFor();
        },
        afterwards: /^It was approved by kim@example\.com/,
      };
    },
  ],
];
