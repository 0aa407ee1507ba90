package dev.mcpbus.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EraMembersTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'resultType':'complete','content':[ 1, 2 ]}|{'content':[ 1, 2 ]}",
        "{ 'a' : 1.0 , 'ttlMs' : 5, 'x':{'ttlMs':5} ,'cacheScope':'public' }"
            + "|{'a' : 1.0,'x':{'ttlMs':5}}",
        "{'ttlMs':5,'cacheScope':'public','resultType':'complete'}|{}",
        "{'a':1,'_meta':{'io.modelcontextprotocol/serverInfo':{},'own':1}}"
            + "|{'a':1,'_meta':{'own':1}}",
        "{'a':1,'_meta':{'io.modelcontextprotocol/serverInfo':{}},'resultType':'x'}|{'a':1}",
        "{'a':1,'_meta':{'io.modelcontextprotocol/related-task':{'taskId':'t'}}}"
            + "|{'a':1,'_meta':{'io.modelcontextprotocol/related-task':{'taskId':'t'}}}",
        "{'_meta':{},'content':[]}|{'_meta':{},'content':[]}",
        "{'re\\u0073ultType':'complete','a':1}|{'a':1}"
      })
  void a_result_loses_the_members_of_the_discover_era_and_no_others(String result, String left) {
    assertThat(EraMembers.resultForInitialize(json(result))).hasToString(json(left).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'uri':'a','_meta':{'io.modelcontextprotocol/subscriptionId':1}}|{'uri':'a'}",
        "{'ttlMs':1,'resultType':2,'cacheScope':3}|{'ttlMs':1,'resultType':2,'cacheScope':3}",
        "[1]|[1]"
      })
  void a_notification_loses_protocol_members_of_its_meta_alone(String params, String left) {
    assertThat(EraMembers.paramsForInitialize("notifications/message", json(params)))
        .hasToString(json(left).toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'a':1,'_meta':{'io.modelcontextprotocol/related-task':{'taskId':'t'},'b':2}}"
            + "|{'a':1,'_meta':{'b':2}}",
        "{'ttlMs':1,'_meta':{'progressToken':2}}|{'ttlMs':1,'_meta':{'progressToken':2}}"
      })
  void the_mark_of_a_task_of_the_initialize_era_does_not_reach_the_other(
      String value, String left) {
    assertThat(EraMembers.forDiscover(json(value))).hasToString(json(left).toString());
  }

  private static RawJson json(String text) {
    return RawJson.of(text.replace('\'', '"'));
  }
}
