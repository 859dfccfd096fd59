import { Module } from '@nestjs/common';
import { ConsoleSite } from './console-site.service.js';
import { PasswordHasher } from './password-hasher.service.js';
import { Passwords } from './passwords.service.js';
import { SandboxStaff } from './sandbox-staff.service.js';
import { SecondFactor } from './second-factor.service.js';
import { SignIn } from './sign-in.service.js';
import { SignInTries } from './sign-in-tries.service.js';
import { StaffOperationsModule } from './staff-operations.module.js';
import { StaffPruning } from './staff-pruning.service.js';
import { StepUp } from './step-up.service.js';
import { TotpSetup } from './totp-setup.service.js';

/** Sessions of staff, and the proofs of identity that open and renew them. */
@Module({
  imports: [StaffOperationsModule],
  providers: [
    ConsoleSite,
    PasswordHasher,
    Passwords,
    SandboxStaff,
    SecondFactor,
    SignIn,
    SignInTries,
    StaffPruning,
    StepUp,
    TotpSetup,
  ],
  exports: [StaffOperationsModule, ConsoleSite, PasswordHasher, Passwords, SandboxStaff, SignIn, StepUp, TotpSetup],
})
export class StaffModule {}
