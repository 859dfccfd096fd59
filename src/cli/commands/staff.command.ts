import { z } from 'zod';
import { ENVIRONMENTS } from '../../domain/network.js';
import type { Config } from '../../platform/config.js';
import { STAFF_ROLES, type StaffRole } from '../../staff/permissions.js';
import { type NewInvitation, type RoleChange, StaffAccounts } from '../../staff/staff-accounts.service.js';
import { StaffOperationsModule } from '../../staff/staff-operations.module.js';
import { type CommandContext, defineCommand, EXIT, oneOf, required, UsageError } from '../command.js';
import { commandConfig } from '../command-config.js';
import { withServices } from '../command-services.js';
import { operator } from '../operator.js';
import { readSandbox } from '../sandbox-file.js';
import { columns, printable } from '../terminal.js';

const needs = { modules: [StaffOperationsModule] };
const INVITED_ROLES = ['viewer', 'support', 'admin'] as const;
const LINK_NOTE =
  'The link sets a password, once, within 24 hours. It gives access to the account: send it only to its member.';
const env = { type: 'string', value: 'ENV', about: 'sandbox or live; both by default.' } as const;
const json = { type: 'boolean', about: 'Print JSON, one object per line.' } as const;
const emailSchema = z.email();

/** `staff invite`. */
export const staffInvite = defineCommand({
  usage: 'staff invite --email ADDRESS --role viewer|support|admin [--env sandbox|live]',
  example: 'npx coffer staff invite --email kim@example.com --role support --env sandbox',
  details: `Prints a link to the console at BASE_URL. ${LINK_NOTE}\nAnother invitation of the same member replaces the link.`,
  options: {
    email: { type: 'string', value: 'ADDRESS', about: 'The e-mail address to sign in with. Nothing is sent to it.' },
    role: { type: 'string', value: 'ROLE', about: 'viewer reads, support acts, admin decides.' },
    env,
  },
  run: ({ values }, context) => {
    const email = emailOf(required(values.email, '--email'));
    const role = oneOf(INVITED_ROLES, required(values.role, '--role'), '--role');
    const roles = rolesOf(role, values.env);
    return withServices(context, needs, async ({ database, get }) => {
      const invited = await database.transaction((tx) => get(StaffAccounts).invite(tx, email, roles, operator()));
      await printLink(invited, context);
      return EXIT.fine;
    });
  },
});

/** `staff role`. */
export const staffRole = defineCommand({
  usage: 'staff role <e-mail address> --role none|viewer|support|admin [--env sandbox|live]',
  example: 'npx coffer staff role kim@example.com --role viewer --env live',
  details: 'Ends the sessions of the member, who signs in again with the new role.',
  options: { role: { type: 'string', value: 'ROLE', about: 'none sees nothing of the environment.' }, env },
  positionals: { count: 1 },
  run: ({ values, positionals: [email = ''] }, context) => {
    const roles = rolesOf(oneOf(STAFF_ROLES, required(values.role, '--role'), '--role'), values.env);
    return withServices(context, needs, async ({ database, get }) => {
      const member = await database.transaction((tx) => get(StaffAccounts).setRoles(tx, email, roles, operator()));
      context.terminal.line(
        `${member.email} has the role ${member.sandboxRole} in sandbox, ${member.liveRole} in live.`,
      );
      return EXIT.fine;
    });
  },
});

/** `staff reset`. */
export const staffReset = defineCommand({
  usage: 'staff reset <e-mail address>',
  example: 'npx coffer staff reset kim@example.com',
  details:
    'For a forgotten password, a lost authenticator, or to enable a disabled member again. Ends the sessions of the member,\n' +
    `and prints a link. ${LINK_NOTE}`,
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [email = ''] }, context) =>
    withServices(context, needs, async ({ database, get }) => {
      await printLink(await database.transaction((tx) => get(StaffAccounts).reset(tx, email, operator())), context);
      return EXIT.fine;
    }),
});

/** `staff disable`. */
export const staffDisable = defineCommand({
  usage: 'staff disable <e-mail address>',
  example: 'npx coffer staff disable kim@example.com',
  details: 'Ends all sessions and invitations of the member. `staff reset` enables the account again.',
  options: {},
  positionals: { count: 1 },
  run: ({ positionals: [email = ''] }, context) =>
    withServices(context, needs, async ({ database, get }) => {
      await database.transaction((tx) => get(StaffAccounts).disable(tx, email, operator()));
      context.terminal.line(`${printable(email)} is disabled, and all sessions have ended.`);
      return EXIT.fine;
    }),
});

/** `staff list`. */
export const staffList = defineCommand({
  usage: 'staff list',
  example: 'npx coffer staff list',
  options: { json },
  run: ({ values }, context) =>
    withServices(context, needs, async ({ database, get }) => {
      const members = await database.transaction((tx) => get(StaffAccounts).list(tx));
      if (values.json) {
        for (const { email, status, sandboxRole, liveRole, hasTotp, createdAt } of members) {
          const roles = { sandbox: sandboxRole, live: liveRole };
          context.terminal.json({ email, status, roles, authenticator: hasTotp, created_at: createdAt });
        }
        return EXIT.fine;
      }
      const cells = members.map((one) => [
        printable(one.email),
        one.status,
        one.sandboxRole,
        one.liveRole,
        one.hasTotp ? 'yes' : 'no',
      ]);
      const titles = ['E-MAIL', 'STATUS', 'SANDBOX', 'LIVE', 'AUTHENTICATOR'];
      for (const line of columns([titles, ...cells])) context.terminal.line(line);
      return EXIT.fine;
    }),
});

function emailOf(text: string): string {
  if (!emailSchema.safeParse(text.trim()).success) throw new UsageError('--email must be an e-mail address.');
  return text;
}

function rolesOf(role: StaffRole, environment: string | undefined): RoleChange {
  if (environment === undefined) return { sandbox: role, live: role };
  return { [oneOf(ENVIRONMENTS, environment, '--env')]: role };
}

/** Prints the link alone on standard output. Its token is after `#`, which browsers send to no server. */
async function printLink({ email, token, expiresAt }: NewInvitation, context: CommandContext): Promise<void> {
  context.terminal.line(`${await baseUrlOf(commandConfig(context))}/admin/accept#${token}`);
  context.terminal.problem(`For ${printable(email)}, until ${expiresAt.toISOString()}.`);
  context.terminal.problem(LINK_NOTE);
}

/** The address of the service: that of the configuration, or the one where the sandbox has started last. */
async function baseUrlOf({ http, dataDir }: Config): Promise<string> {
  const sandbox = http.baseUrl === null ? await readSandbox(dataDir) : null;
  return http.baseUrl ?? sandbox?.api_url ?? `http://${http.host}:${http.port}`;
}
