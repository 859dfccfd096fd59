import { ApiKeysService, type ListedApiKey } from '../../auth/api-keys.service.js';
import { KeyOperations } from '../../auth/key-operations.service.js';
import { AuthModule } from '../../auth/auth.module.js';
import { API_KEY_PREFIX } from '../../domain/api-key.js';
import { ENVIRONMENTS } from '../../domain/network.js';
import { defineCommand, EXIT, oneOf, required } from '../command.js';
import { withServices } from '../command-services.js';
import { operator } from '../operator.js';
import { columns } from '../terminal.js';

const json = { type: 'boolean', about: 'Print JSON, one object per line.' } as const;
const needs = { modules: [AuthModule] };
const merchant = { type: 'string', value: 'ID', about: 'The merchant, mer_...' } as const;

/** `key create`. */
export const keyCreate = defineCommand({
  usage: 'key create --merchant ID --env sandbox|live',
  example: 'npx coffer key create --merchant mer_01k5n6yq2m8r4t0v3w5x7z9abc --env live --scopes read,payments:write',
  details:
    'Scopes: read, payments:write, withdrawals:write, webhooks:write. By default a sandbox key has all of them, and a live\n' +
    'key all except withdrawals:write.\n' +
    'Every key is secret, also one that begins with pk_live_: keep it on your servers, out of browsers and apps.',
  options: {
    merchant,
    env: { type: 'string', value: 'ENV', about: 'sandbox or live.' },
    scopes: { type: 'string', value: 'A,B', about: 'What the key may do, separated by commas.' },
    json,
  },
  run: ({ values }, context) => {
    const merchantId = required(values.merchant, '--merchant');
    const environment = oneOf(ENVIRONMENTS, required(values.env, '--env'), '--env');
    const scopes = values.scopes?.split(',').map((scope) => scope.trim());
    return withServices(context, needs, async ({ database, get }) => {
      const order = { merchantId, environment, ...(scopes && { scopes }) };
      const created = await database.transaction((tx) => get(KeyOperations).create(tx, order, operator()));
      if (values.json) context.terminal.json(created);
      else {
        context.terminal.line(created.key);
        context.terminal.problem(`${created.id}, ${environment}, scopes ${created.scopes.join(', ')}.`);
        context.terminal.problem('Store the key now: it is not shown again.');
        context.terminal.problem(`It is secret, like every key that begins with ${API_KEY_PREFIX[environment]}.`);
      }
      return EXIT.fine;
    });
  },
});

/** `key revoke`. */
export const keyRevoke = defineCommand({
  usage: 'key revoke <key id>',
  example: 'npx coffer key revoke key_01k5n6yq2m8r4t0v3w5x7z9abc',
  details: 'The key stops working within a second and cannot be enabled again. `key list` shows the ids.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [id = ''] }, context) =>
    withServices(context, needs, async ({ database, get }) => {
      await database.transaction((tx) => get(KeyOperations).revoke(tx, { id }, operator()));
      context.terminal.line(`Key ${id} is revoked.`);
      return EXIT.fine;
    }),
});

/** `key list`. */
export const keyList = defineCommand({
  usage: 'key list --merchant ID',
  example: 'npx coffer key list --merchant mer_01k5n6yq2m8r4t0v3w5x7z9abc',
  options: { merchant, json },
  run: ({ values }, context) => {
    const merchantId = required(values.merchant, '--merchant');
    return withServices(context, needs, async ({ database, get }) => {
      const keys = await database.transaction((tx) => get(ApiKeysService).keysOf(tx, merchantId));
      if (values.json) keys.forEach((key) => context.terminal.json(jsonOf(key)));
      else for (const line of columns([TITLES, ...keys.map(cellsOf)])) context.terminal.line(line);
      return EXIT.fine;
    });
  },
});

const TITLES = ['ID', 'ENV', 'KEY', 'STATE', 'LAST USED', 'SCOPES'];

const jsonOf = ({
  id,
  environment,
  name,
  last4,
  scopes,
  createdAt,
  lastUsedAt,
  expiresAt,
  revokedAt,
}: ListedApiKey): object => ({
  id,
  environment,
  name,
  last4,
  scopes,
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: expiresAt,
  revoked_at: revokedAt,
});

function cellsOf({ id, environment, last4, scopes, lastUsedAt, expiresAt, revokedAt }: ListedApiKey): string[] {
  const state = revokedAt !== null ? 'revoked' : expiresAt !== null && expiresAt <= new Date() ? 'expired' : 'active';
  return [id, environment, `…${last4}`, state, lastUsedAt?.toISOString() ?? 'never', scopes.join(',')];
}
