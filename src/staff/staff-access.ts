import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import { StaffOnly } from '../auth/scopes.js';
import type { Environment } from '../domain/network.js';
import type { ApiRequest } from '../http/api-request.js';
import { PERMISSION_EXTENSION } from '../http/openapi-operation.decorator.js';
import type { ConsoleActor } from '../platform/audit-trail.js';
import type { Client } from './client.js';
import { type Permission, PERMISSIONS, type StaffRole } from './permissions.js';
import type { OpenSession } from './staff-sessions.service.js';

/** The member of staff who makes a request in one environment. */
export interface StaffCaller extends Client {
  readonly staffId: string;
  readonly email: string;
  readonly sessionId: string;
  /** The environment in the path. */
  readonly environment: Environment;
  /** The role in that environment. */
  readonly role: StaffRole;
}

/** A signed-in member of staff, on routes that belong to no environment. */
export interface SignedIn extends Client {
  readonly session: OpenSession;
}

/** A request that has passed the staff guard. */
export interface StaffRequest extends ApiRequest {
  /** On routes of an environment. */
  staff?: StaffCaller;
  /** On all routes that need a session. */
  signedIn?: SignedIn;
}

/** The permission that a route requires. Undefined for routes that need a session alone. */
export const RequiredPermission = Reflector.createDecorator<Permission>();

/** Requires a console session with this permission in the environment of the path `/admin/api/:environment/...`. */
export function RequirePermission(permission: Permission) {
  const { role, stepUp } = PERMISSIONS[permission];
  return applyDecorators(
    StaffOnly(),
    RequiredPermission(permission),
    ApiExtension(PERMISSION_EXTENSION, { name: permission, role, step_up: stepUp }),
  );
}

/** Marks a route of the console that needs no session, such as the sign-in. */
export const WithoutSession = Reflector.createDecorator<undefined, boolean>({ transform: () => true });

/** Marks a route that pages call on their own: it does not keep a session from becoming idle. */
export const Passive = Reflector.createDecorator<undefined, boolean>({ transform: () => true });

/** Marks a route that works before the second factor is set up where that is mandatory. */
export const BeforeSecondFactor = Reflector.createDecorator<undefined, boolean>({ transform: () => true });

/** Injects the `StaffCaller` into a handler. */
export const CurrentStaff = createParamDecorator((_data: undefined, context: ExecutionContext) => {
  const { staff, method, path } = context.switchToHttp().getRequest<StaffRequest>();
  if (staff === undefined) throw new Error(`${method} ${path} names no permission, so it has no member of staff.`);
  return staff;
});

/** Injects `SignedIn` into a handler of a route that needs a session. */
export const CurrentSession = createParamDecorator((_data: undefined, context: ExecutionContext) => {
  const { signedIn, method, path } = context.switchToHttp().getRequest<StaffRequest>();
  if (signedIn === undefined) throw new Error(`${method} ${path} needs no session, so it has none.`);
  return signedIn;
});

/** Returns the author of an action for `recordAction`. */
export function actorOf({ email, address, requestId, environment, role }: StaffCaller): ConsoleActor {
  return { actor: email, address, requestId, environment, role };
}
