import type { MqttChannel } from './broker/channel.ts';
import type { BrokerManagement } from './broker/management.ts';
import type { FileReaders } from './file-reading/file-readers.ts';
import type { BoardPackages } from './http/package-files.ts';
import type { DeviceCaller, PublicCaller, RequestDetails, ServerContext, UserCaller } from './http/server-context.ts';
import type { SendMail } from './mail/smtp.ts';

/** Shared by the whole process: composed in `start-api.ts`, passed to every domain, to ingest and to live. */
export interface AppContext extends ServerContext {
  readonly mqtt: MqttChannel;
  readonly broker: BrokerManagement;
  /** Reads users' files, each in its own process. */
  readonly files: FileReaders;
  /** Undefined where this server has no software for boards. */
  readonly packages: BoardPackages | undefined;
  /** Undefined where no mail server is set. */
  readonly sendMail: SendMail | undefined;
}

/** One HTTP request. `log` carries the request id; `sql` rolls back if the request was aborted. */
export interface RequestContext extends AppContext, RequestDetails {}
export interface PublicContext extends RequestContext, PublicCaller {}
export interface UserContext extends RequestContext, UserCaller {}
export interface DeviceContext extends RequestContext, DeviceCaller {}
