/** The tools of all servers, and a form to call one. */
import {Catalog} from '../parts/catalog.js';
import {ToolCall} from '../parts/tool-call.js';

export class ToolsPage extends Catalog {
  title = 'Tools';

  constructor() {
    super({
      kind: 'tools',
      label: 'Tools',
      changes: ['toolsListChanged', 'connected', 'serverRemoved'],
      key: one => one.name,
      open: one => ToolCall.of(one.server, one.name, one.item),
    });
  }
}
