import { type Environment, ENVIRONMENTS } from '../../domain/network.js';
import { isAtLeast, type Permission, PERMISSION_NAMES, PERMISSIONS, type StaffRole } from '../../staff/permissions.js';
import type { OpenSession } from '../../staff/staff-sessions.service.js';
import type { SessionObject } from './session.schema.js';

/** Presents a session; `totpRequired` says whether everybody needs a second factor here. */
export function presentSession(session: OpenSession, totpRequired: boolean): SessionObject {
  const { staffId: id, email, roles, totpEnabled, expiresAt, idleExpiresAt, stepUpUntil } = session;
  return {
    object: 'session',
    staff: { id, email, roles, totp_enabled: totpEnabled, totp_required: totpRequired },
    permissions: { sandbox: permissionsOf(roles.sandbox), live: permissionsOf(roles.live) },
    environments: ENVIRONMENTS.filter((environment: Environment) => roles[environment] !== 'none'),
    expires_at: expiresAt.toISOString(),
    idle_expires_at: idleExpiresAt.toISOString(),
    step_up_until: stepUpUntil?.toISOString() ?? null,
  };
}

const permissionsOf = (role: StaffRole): Permission[] =>
  PERMISSION_NAMES.filter((name) => isAtLeast(role, PERMISSIONS[name].role));
