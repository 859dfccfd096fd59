import { applyDecorators, Controller } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { ENVIRONMENTS } from '../domain/network.js';

/** A controller of `/admin/api/:environment/<path>`: the staff guard reads the environment from the path. */
export function EnvironmentController(path: string): ClassDecorator {
  return applyDecorators(
    Controller(`admin/api/:environment/${path}`),
    ApiParam({ name: 'environment', enum: ENVIRONMENTS, description: 'The environment to look at.' }),
  );
}
