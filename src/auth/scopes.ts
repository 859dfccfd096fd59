import { Reflector } from '@nestjs/core';
import type { Environment } from '../domain/network.js';

/** The permissions of an API key. */
export const SCOPES = ['read', 'payments:write', 'withdrawals:write', 'webhooks:write'] as const;
export type Scope = (typeof SCOPES)[number];

/**
 * The scopes of a key that is created without a list of its own. Others must be requested, such as the one to withdraw
 * real money. Explicit lists: a scope that is added to `SCOPES` is in no new key until it is added here too.
 */
export const DEFAULT_SCOPES: Readonly<Record<Environment, readonly Scope[]>> = {
  sandbox: ['read', 'payments:write', 'withdrawals:write', 'webhooks:write'],
  live: ['read', 'payments:write', 'webhooks:write'],
};

/** The access rule of a route: one scope of an API key, `staff` for a console session, or `public` for everybody. */
export type Access = Scope | 'public' | 'staff';

type Target = Parameters<Reflector['getAllAndOverride']>[1][number];

const AccessRule = Reflector.createDecorator<Access>();

/** Requires an API key with this scope for the route, or for every route of the controller. */
export function RequireScope(scope: Scope) {
  return AccessRule(scope);
}

/** Opens the route, or every route of the controller, to requests without an API key. */
export function Public() {
  return AccessRule('public');
}

/** Opens the route, or every route of the controller, to signed-in staff; the staff guard checks what they may do. */
export function StaffOnly() {
  return AccessRule('staff');
}

/** Returns the access rule of a route, which overrides its controller's. Undefined when neither has one. */
export function accessOf(reflector: Reflector, handler: Target, controller: Target): Access | undefined {
  return reflector.getAllAndOverride(AccessRule, [handler, controller]);
}
