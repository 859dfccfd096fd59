import { randomUUID } from 'node:crypto';
import type { Environment } from '../../src/domain/network.js';
import { StaffAccounts } from '../../src/staff/staff-accounts.service.js';
import type { ConsoleClient } from './console-client.js';
import { DECIDE_EXAMPLES } from './decide-operations.js';
import { FIND_EXAMPLES } from './find-operations.js';
import { DELIVERY_EXAMPLES } from './delivery-examples.js';
import { SANDBOX_EXAMPLES } from './sandbox-operations.js';
import { WATCH_EXAMPLES } from './watch-operations.js';
import { MERCHANT_EXAMPLES } from './merchant-operations.js';
import { codeOf, type ConsoleService, type Member, PASSWORD } from './console-service.js';

/** Where and by whom an operation is called. */
export interface Setting {
  readonly service: ConsoleService;
  readonly environment: Environment;
  readonly member: Member;
  /** The member's browser, for operations that need an earlier one. */
  readonly client: ConsoleClient;
}

/** A call of an operation that succeeds for whoever may make it, or has the same answer for each of them. */
export interface Example {
  /** Values of the path's parameters, but for `environment`. */
  readonly path?: Readonly<Record<string, string>>;
  /** Such as `?q=pi_1`. */
  readonly query?: string;
  readonly body?: unknown;
  /** Default 200. */
  readonly status?: number;
  /** The code of an error, where the operation does not exist in the environment or cannot be done here. */
  readonly code?: string;
  /** For a POST that changes nothing, such as a preview: it leaves no entry in the audit. */
  readonly readsOnly?: boolean;
}

const invited = async ({ service }: Setting): Promise<string> => {
  const accounts = service.service.get(StaffAccounts);
  const email = `${randomUUID()}@example.com`;
  const { token } = await service.database.transaction((tx) =>
    accounts.invite(tx, email, { sandbox: 'viewer' }, 'a test'),
  );
  return token;
};

/**
 * One row for each operation of the console's document, by its id. The matrix calls it with every role in every environment;
 * an operation without a row fails there.
 */
export const EXAMPLES: Readonly<Record<string, (setting: Setting) => Example | Promise<Example>>> = {
  ...FIND_EXAMPLES,
  ...DECIDE_EXAMPLES,
  ...DELIVERY_EXAMPLES,
  ...SANDBOX_EXAMPLES,
  ...WATCH_EXAMPLES,
  ...MERCHANT_EXAMPLES,
  signIn: ({ member }) => ({ body: { email: member.email, password: PASSWORD, code: codeOf(member) } }),
  getSession: () => ({}),
  signOut: () => ({}),
  streamChanges: () => ({}),
  stepUp: ({ member }) => ({ body: { code: codeOf(member) } }),
  changePassword: () => ({ body: { current_password: PASSWORD, new_password: PASSWORD } }),
  beginTotp: () => ({}),
  confirmTotp: async ({ client }) => {
    const { body } = await client.post('/session/totp');
    return { body: { code: codeOf({ secret: body['secret'] }) } };
  },
  readInvitation: async (setting) => ({ body: { token: await invited(setting) }, readsOnly: true }),
  acceptInvitation: async (setting) => ({ body: { token: await invited(setting), password: PASSWORD } }),
};
