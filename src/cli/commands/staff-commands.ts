import type { RegisteredCommand } from '../registered-command.js';

/** The commands about the people who work in the console. */
export const STAFF_COMMANDS: readonly RegisteredCommand[] = [
  {
    name: 'staff invite',
    summary: 'Invite somebody to the admin console; prints a link',
    load: async () => (await import('./staff.command.js')).staffInvite,
  },
  {
    name: 'staff list',
    summary: 'List the members of staff with their roles',
    load: async () => (await import('./staff.command.js')).staffList,
  },
  {
    name: 'staff role',
    summary: 'Change the role of a member of staff',
    load: async () => (await import('./staff.command.js')).staffRole,
  },
  {
    name: 'staff reset',
    summary: "Remove a member's password and authenticator; prints a link",
    load: async () => (await import('./staff.command.js')).staffReset,
  },
  {
    name: 'staff disable',
    summary: 'Lock a member of staff out at once',
    load: async () => (await import('./staff.command.js')).staffDisable,
  },
];
