import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { StaffOnly } from '../auth/scopes.js';
import type { Environment } from '../domain/network.js';
import type { ApiRequest } from '../http/api-request.js';
import type { Permission, StaffRole } from './permissions.js';

/** The member of staff who makes a request in one environment. */
export interface StaffCaller {
  readonly staffId: string;
  readonly email: string;
  readonly sessionId: string;
  /** The environment in the path. */
  readonly environment: Environment;
  /** The role in that environment. */
  readonly role: StaffRole;
  /** The client's address. */
  readonly address: string;
}

/** A request that has passed the staff guard. */
export interface StaffRequest extends ApiRequest {
  staff?: StaffCaller;
}

/** The permission that a route requires. Undefined for routes that need a session alone. */
export const RequiredPermission = Reflector.createDecorator<Permission>();

/** Requires a console session with this permission in the environment of the path `/admin/api/:environment/...`. */
export function RequirePermission(permission: Permission) {
  return applyDecorators(StaffOnly(), RequiredPermission(permission));
}

/** Injects the `StaffCaller` into a handler. */
export const CurrentStaff = createParamDecorator((_data: undefined, context: ExecutionContext) => {
  const { staff, method, path } = context.switchToHttp().getRequest<StaffRequest>();
  if (staff === undefined) throw new Error(`${method} ${path} names no permission, so it has no member of staff.`);
  return staff;
});
