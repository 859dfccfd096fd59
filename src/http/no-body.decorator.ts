import { Reflector } from '@nestjs/core';

/** Marks a handler whose request has no body: it accepts an empty one, or `{}`. */
export const NoBody = Reflector.createDecorator<undefined, boolean>({ transform: () => true });
