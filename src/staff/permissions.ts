/** The roles of staff in one environment; each includes the ones before it. `none` sees nothing. */
export const STAFF_ROLES = ['none', 'viewer', 'support', 'admin'] as const;
export type StaffRole = (typeof STAFF_ROLES)[number];

/** What a permission requires: the least role, and whether the member proved their identity in the last 5 minutes. */
export interface PermissionRule {
  readonly role: Exclude<StaffRole, 'none'>;
  readonly stepUp: boolean;
}

const reads = (): PermissionRule => ({ role: 'viewer', stepUp: false });
/** The safe direction, such as to pause or to send again. */
const acts = (): PermissionRule => ({ role: 'support', stepUp: false });
/** The dangerous direction, such as to pay out or to let go. */
const decides = (): PermissionRule => ({ role: 'admin', stepUp: true });

/** All permissions of the console. Each route of `/admin/api` names one of them, or needs a session alone. */
export const PERMISSIONS = {
  'deliveries.read': reads(),
  'deliveries.replay': acts(),
  'endpoints.read': reads(),
  'endpoints.test': acts(),
  'endpoints.disable': acts(),
  'endpoints.enable': decides(),
  'endpoints.rotate': decides(),
  'intents.read': reads(),
  'intents.note': acts(),
  'intents.retry': acts(),
  'payments.acknowledge': acts(),
  'deposits.read': reads(),
  'deposits.credit': decides(),
  'deposits.refund': decides(),
  'deposits.release': decides(),
  'deposits.keep': acts(),
  'refunds.cancel': acts(),
  'pockets.read': reads(),
  'withdrawals.read': reads(),
  'requests.read': reads(),
  'withdrawals.cancel': acts(),
  'withdrawals.approve': decides(),
  'signing.freeze': acts(),
  'signing.unfreeze': decides(),
  'sandbox.act': acts(),
  'operations.read': reads(),
  'networks.pause': acts(),
  'networks.resume': decides(),
  'merchants.read': reads(),
  'merchants.create': decides(),
  'merchants.verify': decides(),
  'merchants.update': decides(),
  'keys.create': decides(),
  'keys.revoke': acts(),
  'policies.tighten': acts(),
  // They show where and when colleagues have signed in.
  'team.read': { role: 'admin', stepUp: false },
  'team.lock': { role: 'admin', stepUp: false },
  'audit.read': { role: 'admin', stepUp: false },
} as const satisfies Readonly<Record<string, PermissionRule>>;
export type Permission = keyof typeof PERMISSIONS;
const isPermission = (name: string): name is Permission => name in PERMISSIONS;
export const PERMISSION_NAMES: readonly Permission[] = Object.keys(PERMISSIONS).filter(isPermission);

/** Whether a role is at least another one. */
export function isAtLeast(role: StaffRole, least: StaffRole): boolean {
  return STAFF_ROLES.indexOf(role) >= STAFF_ROLES.indexOf(least);
}
