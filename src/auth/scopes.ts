import { Reflector } from '@nestjs/core';
import type { Scope } from './api-key.entity.js';

/** What a route asks of its caller: one scope of an API key, or no key at all. */
export type Access = Scope | 'public';

type Target = Parameters<Reflector['getAllAndOverride']>[1][number];

const AccessRule = Reflector.createDecorator<Access>();

/** The route, or every route of the controller, needs an API key with this scope. */
export function RequireScope(scope: Scope) {
  return AccessRule(scope);
}

/** The route, or every route of the controller, answers without an API key. */
export function Public() {
  return AccessRule('public');
}

/** What the route asks; its own rule goes before its controller's. Undefined when neither has one. */
export function accessOf(reflector: Reflector, handler: Target, controller: Target): Access | undefined {
  return reflector.getAllAndOverride(AccessRule, [handler, controller]);
}
