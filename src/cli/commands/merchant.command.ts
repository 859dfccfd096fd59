import { AuthModule } from '../../auth/auth.module.js';
import { Merchant } from '../../auth/merchant.entity.js';
import { MerchantOperations } from '../../auth/merchant-operations.service.js';
import { MerchantsService, TOLERANCE_BPS_MAX } from '../../auth/merchants.service.js';
import { LedgerModule } from '../../ledger/ledger.module.js';
import { PocketsService } from '../../ledger/pockets.service.js';
import { NetworkViews } from '../../offers/network-views.service.js';
import { NetworksModule } from '../../offers/networks.module.js';
import { defineCommand, EXIT, required, UsageError } from '../command.js';
import { withServices } from '../command-services.js';
import { operator } from '../operator.js';
import { columns } from '../terminal.js';

const LISTED_MAX = 200;

const json = { type: 'boolean', about: 'Print JSON, one object per line.' } as const;

/** `merchant create`. */
export const merchantCreate = defineCommand({
  usage: 'merchant create --name NAME',
  example: "npx coffer merchant create --name 'Acme GmbH'",
  options: { name: { type: 'string', value: 'NAME', about: 'The name of the merchant.' }, json },
  run: ({ values }, context) => {
    const name = required(values.name, '--name');
    const modules = [AuthModule, LedgerModule, NetworksModule];
    return withServices(context, { modules }, async ({ database, get }) => {
      // Before the transaction, where it would take a second connection.
      const tokens = await get(NetworkViews).tokensOnOffer();
      const merchant = await database.transaction(async (tx) => {
        const created = await get(MerchantOperations).create(tx, { name }, operator());
        await get(PocketsService).openForMerchant(tx, created.id, tokens);
        return created;
      });
      if (values.json) context.terminal.json({ ...merchant, pockets: tokens.length });
      else {
        context.terminal.line(
          `Created merchant ${merchant.id} (${merchant.name}) with ${tokens.length} pocket${tokens.length === 1 ? '' : 's'}.`,
        );
        context.terminal.line(`Next: npx coffer key create --merchant ${merchant.id} --env sandbox`);
      }
      return EXIT.fine;
    });
  },
});

/** `merchant verify`. */
export const merchantVerify = defineCommand({
  usage: 'merchant verify <merchant id>',
  example: 'npx coffer merchant verify mer_01k5n6yq2m8r4t0v3w5x7z9abc',
  details: 'Only verified merchants can have live keys. Verifying a merchant again changes nothing.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [id = ''] }, context) =>
    withServices(context, { modules: [AuthModule] }, async ({ database, get }) => {
      await database.transaction((tx) => get(MerchantOperations).verify(tx, id, operator()));
      context.terminal.line(`Merchant ${id} is verified and may have live keys.`);
      return EXIT.fine;
    }),
});

/** `merchant update`. */
export const merchantUpdate = defineCommand({
  usage: 'merchant update <merchant id> --tolerance-bps N',
  example: 'npx coffer merchant update mer_01k5n6yq2m8r4t0v3w5x7z9abc --tolerance-bps 50',
  details:
    'An intent still completes if it is underpaid by at most this share of its amount, in basis points: 50 are 0.5 %. The\n' +
    `default is 0, the maximum ${TOLERANCE_BPS_MAX}. The change applies to intents that are created from now on, and is\n` +
    'stored in the audit.',
  options: {
    'tolerance-bps': { type: 'string', value: 'N', about: `Basis points, 0 to ${TOLERANCE_BPS_MAX}.` },
  },
  positionals: { count: 1 },
  run: ({ values, positionals: [id = ''] }, context) => {
    const bps = toleranceOf(required(values['tolerance-bps'], '--tolerance-bps'));
    return withServices(context, { modules: [AuthModule] }, async ({ database, get }) => {
      const before = await database.transaction((tx) => get(MerchantsService).setTolerance(tx, id, bps, operator()));
      context.terminal.line(
        `The tolerance of merchant ${id} is ${bps} basis points (before: ${before}), for intents created from now on.`,
      );
      return EXIT.fine;
    });
  },
});

function toleranceOf(text: string): number {
  const bps = /^\d{1,5}$/.test(text) ? Number(text) : null;
  if (bps === null || bps > TOLERANCE_BPS_MAX) {
    throw new UsageError(`--tolerance-bps must be a whole number from 0 to ${TOLERANCE_BPS_MAX}.`);
  }
  return bps;
}

/** `merchant list`. */
export const merchantList = defineCommand({
  usage: 'merchant list',
  example: 'npx coffer merchant list --json',
  options: { json },
  run: ({ values }, context) =>
    withServices(context, { modules: [] }, async ({ database }) => {
      const merchants = await database.em().find(
        Merchant,
        {},
        {
          fields: ['name', 'liveVerifiedAt', 'createdAt'],
          orderBy: { createdAt: 'desc', id: 'desc' },
          limit: LISTED_MAX,
        },
      );
      if (values.json) {
        for (const { id, name, liveVerifiedAt, createdAt } of merchants) {
          context.terminal.json({ id, name, verified_at: liveVerifiedAt, created_at: createdAt });
        }
      } else {
        const cells = merchants.map((one) => [
          one.id,
          one.liveVerifiedAt === null ? 'sandbox only' : 'verified',
          one.name,
        ]);
        for (const line of columns([['ID', 'LIVE', 'NAME'], ...cells])) context.terminal.line(line);
      }
      return EXIT.fine;
    }),
});
