import { Reflector } from '@nestjs/core';
import type { Scope } from './api-key.entity.js';

/** The access rule of a route: one scope of an API key, or `public`, without a key. */
export type Access = Scope | 'public';

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

/** Returns the access rule of a route, which overrides its controller's. Undefined when neither has one. */
export function accessOf(reflector: Reflector, handler: Target, controller: Target): Access | undefined {
  return reflector.getAllAndOverride(AccessRule, [handler, controller]);
}
