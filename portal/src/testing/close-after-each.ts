import { afterEach } from 'vitest';
import { closePortal } from './open-portal.tsx';

afterEach(closePortal);
