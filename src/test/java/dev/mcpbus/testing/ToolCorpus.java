package dev.mcpbus.testing;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Tools as services of all kinds offer them: the same thousands in every run. Names in snake case,
 * camel case or kebab case by server; descriptions from terse to wordy; some tools without.
 */
public final class ToolCorpus {

  private static final long SEED = 20_261_121;

  /** Server, how it writes names, what it is about, and its things. */
  private static final String[][] SERVICES = {
    {
      "github",
      "snake",
      "GitHub",
      "issue,pull request,repository,branch,commit,release,workflow run,gist,label,milestone,review comment,fork,code scanning alert"
    },
    {
      "gitlab",
      "snake",
      "GitLab",
      "merge request,pipeline,project,issue,runner,epic,wiki page,deploy token,job log,snippet,environment,tag"
    },
    {
      "jira",
      "camel",
      "Jira",
      "ticket,sprint,board,epic,worklog,attachment,transition,project version,watcher,filter,dashboard,component"
    },
    {
      "slack",
      "snake",
      "Slack",
      "message,channel,thread,user profile,reaction,reminder,file,user group,scheduled message,canvas,bookmark"
    },
    {
      "gmail",
      "snake",
      "Gmail",
      "email,draft,label,thread,attachment,filter,signature,vacation responder,contact"
    },
    {
      "calendar",
      "kebab",
      "Google Calendar",
      "event,calendar,attendee,reminder,free busy slot,recurring event,meeting room,invitation"
    },
    {
      "drive",
      "camel",
      "Google Drive",
      "file,folder,permission,revision,shared drive,comment,shortcut,thumbnail"
    },
    {
      "sheets",
      "camel",
      "Google Sheets",
      "spreadsheet,cell range,worksheet,chart,pivot table,named range,conditional format,row,column"
    },
    {
      "notion",
      "kebab",
      "Notion",
      "page,database,block,comment,workspace user,property,template,view"
    },
    {
      "postgres",
      "snake",
      "PostgreSQL",
      "table,index,query plan,schema,role,extension,materialized view,trigger,sequence,vacuum job,replication slot,lock"
    },
    {
      "mysql",
      "snake",
      "MySQL",
      "table,stored procedure,user grant,slow query,binlog,partition,character set,event"
    },
    {
      "redis",
      "kebab",
      "Redis",
      "key,hash field,stream,sorted set,list element,consumer group,script,pub sub channel"
    },
    {
      "mongodb",
      "camel",
      "MongoDB",
      "collection,document,index,aggregation pipeline,replica set,change stream,shard"
    },
    {
      "elastic",
      "snake",
      "Elasticsearch",
      "index,document,mapping,alias,ingest pipeline,snapshot,cluster setting,template"
    },
    {
      "aws-s3",
      "camel",
      "Amazon S3",
      "bucket,object,bucket policy,multipart upload,lifecycle rule,presigned url,access point,object tag"
    },
    {
      "aws-ec2",
      "camel",
      "Amazon EC2",
      "instance,security group,volume,snapshot,key pair,elastic ip,image,launch template,load balancer"
    },
    {
      "aws-lambda",
      "camel",
      "AWS Lambda",
      "function,layer,alias,event source mapping,concurrency limit,function url"
    },
    {
      "kubernetes",
      "kebab",
      "Kubernetes",
      "pod,deployment,service,config map,secret,ingress,node,namespace,cron job,stateful set,persistent volume,pod log,rollout"
    },
    {
      "docker",
      "snake",
      "Docker",
      "container,image,volume,network,compose stack,container log,registry credential,build cache"
    },
    {
      "terraform",
      "kebab",
      "Terraform",
      "workspace,state file,plan,run,variable,module,provider,policy set"
    },
    {
      "stripe",
      "snake",
      "Stripe",
      "customer,invoice,payment intent,subscription,refund,coupon,price,payout,dispute,payment link,tax rate,balance transaction"
    },
    {
      "shopify",
      "camel",
      "Shopify",
      "order,product,product variant,collection,discount code,inventory level,fulfillment,gift card,abandoned checkout"
    },
    {
      "salesforce",
      "camel",
      "Salesforce",
      "lead,opportunity,account,contact,case,campaign,report,quote,contract,task"
    },
    {
      "hubspot",
      "kebab",
      "HubSpot",
      "contact,company,deal,ticket,marketing email,form,landing page,workflow,quote,call note"
    },
    {
      "zendesk",
      "snake",
      "Zendesk",
      "ticket,macro,help article,organization,satisfaction rating,trigger,side conversation,agent,view"
    },
    {
      "twilio",
      "camel",
      "Twilio",
      "sms message,phone call,phone number,call recording,verification code,conference,whatsapp template"
    },
    {
      "sendgrid",
      "snake",
      "SendGrid",
      "email template,mailing list,bounce,sender identity,unsubscribe group,campaign statistic"
    },
    {
      "figma",
      "kebab",
      "Figma",
      "frame,component,comment,style,design token,prototype link,image export,variable"
    },
    {
      "spotify",
      "camel",
      "Spotify",
      "playlist,track,album,artist,podcast episode,audio feature,playback device,queue item"
    },
    {
      "youtube",
      "camel",
      "YouTube",
      "video,caption,playlist,comment,channel,live broadcast,thumbnail,transcript"
    },
    {
      "weather",
      "snake",
      "the weather service",
      "forecast,air quality reading,weather alert,historical observation,radar image,marine condition,pollen count,sunrise time"
    },
    {
      "maps",
      "kebab",
      "the map service",
      "route,place,geocode,distance matrix,elevation,street view image,traffic incident,transit stop"
    },
    {
      "flights",
      "camel",
      "the flight search",
      "flight offer,airport,seat map,boarding pass,fare rule,baggage allowance,flight status,airline"
    },
    {
      "hotels",
      "camel",
      "the hotel booking",
      "hotel,room rate,reservation,guest review,amenity,cancellation policy,loyalty point"
    },
    {
      "bank",
      "snake",
      "the bank",
      "account balance,transfer,standing order,card,statement,direct debit,exchange rate,beneficiary"
    },
    {
      "accounting",
      "snake",
      "the accounting software",
      "ledger entry,invoice,expense report,tax return,vendor bill,cost center,bank reconciliation,fiscal period,depreciation"
    },
    {
      "payroll",
      "kebab",
      "the payroll system",
      "employee,salary,payslip,time sheet,leave request,bonus,tax withholding,overtime"
    },
    {
      "recruiting",
      "camel",
      "the recruiting system",
      "job posting,candidate,interview,offer letter,scorecard,referral,talent pool"
    },
    {
      "sentry",
      "snake",
      "Sentry",
      "error event,issue,release,stack trace,performance transaction,alert rule,source map,replay"
    },
    {
      "grafana",
      "kebab",
      "Grafana",
      "dashboard,panel,data source,alert rule,annotation,silence,contact point,folder"
    },
    {
      "prometheus",
      "snake",
      "Prometheus",
      "metric,scrape target,recording rule,alert,label value,range query,time series"
    },
    {
      "datadog",
      "camel",
      "Datadog",
      "monitor,log query,synthetic test,service level objective,incident,host,downtime,trace"
    },
    {
      "pagerduty",
      "kebab",
      "PagerDuty",
      "incident,on call schedule,escalation policy,service,maintenance window,responder,postmortem"
    },
    {
      "okta",
      "camel",
      "Okta",
      "user,group,application,access policy,mfa factor,session,api token,sign in log"
    },
    {
      "vault",
      "kebab",
      "the secret vault",
      "secret,lease,encryption key,certificate,auth method,audit device,policy,token"
    },
    {
      "crm-legacy",
      "camel",
      "the old customer system",
      "customer record,visit report,price list,territory,call plan,sample order"
    },
    {
      "warehouse",
      "snake",
      "the warehouse",
      "shipment,stock item,pick list,pallet,return,carrier label,storage bin,purchase order,inventory count"
    },
    {
      "smart-home",
      "camel",
      "the smart home",
      "light,thermostat,door lock,camera snapshot,scene,motion sensor,energy reading,blind,vacuum robot"
    },
    {
      "health",
      "snake",
      "the health record",
      "patient,appointment,prescription,lab result,immunization,allergy,referral,vital sign,insurance claim"
    },
    {
      "research",
      "kebab",
      "the library of papers",
      "paper,citation,author,preprint,data set,journal,conference,patent,abstract"
    },
    {
      "translate",
      "camel",
      "the translation service",
      "text,document,glossary,language,translation memory,term base"
    },
    {
      "media",
      "snake",
      "the media converter",
      "video clip,audio file,subtitle,image,thumbnail,pdf document,animated gif,waveform"
    },
    {
      "crm-mail",
      "kebab",
      "the newsletter",
      "subscriber,campaign,segment,template,a b test,open rate,bounce report"
    },
    {
      "lms",
      "camel",
      "the learning platform",
      "course,lesson,quiz,enrollment,certificate,grade,assignment,discussion post"
    },
  };

  /** Verb and what it says of a thing of a service. */
  private static final String[][] VERBS = {
    {
      "list",
      "List all %2$s in %3$s.",
      "Returns the %2$s of %3$s, newest first, one page at a time."
    },
    {
      "get",
      "Get one %1$s by its id.",
      "Fetches the details of a single %1$s from %3$s, including who changed it last."
    },
    {
      "create",
      "Create a new %1$s.",
      "Creates a %1$s in %3$s and returns its id. Fails where one of the same name exists."
    },
    {
      "update",
      "Update an existing %1$s.",
      "Changes the given fields of a %1$s in %3$s; fields that are left out stay as they are."
    },
    {
      "delete",
      "Delete a %1$s permanently.",
      "Removes a %1$s from %3$s. This cannot be undone, so ask the user first."
    },
    {
      "search",
      "Search %2$s by text.",
      "Full-text search over the %2$s of %3$s with filters for date and owner."
    },
    {
      "export",
      "Export %2$s as CSV or JSON.",
      "Writes the selected %2$s of %3$s to a file for download."
    },
    {
      "count",
      "Count the %2$s that match a filter.",
      "How many %2$s are there in %3$s, grouped by status."
    },
    {"archive", "Archive a %1$s.", "Hides a %1$s of %3$s from everyday lists without removing it."},
    {
      "share",
      "Share a %1$s with other people.",
      "Gives people or groups access to a %1$s of %3$s and tells them by email."
    },
    {
      "watch",
      "Watch a %1$s for changes.",
      "Subscribes to changes of a %1$s in %3$s and reports each as a notification."
    },
    {
      "validate",
      "Validate a %1$s before it is saved.",
      "Checks a %1$s against the rules of %3$s and lists every problem that it finds."
    },
  };

  private static final String[][] PARAMETERS = {
    {"limit", "integer", "How many entries to return at most."},
    {"cursor", "string", "Where the last page ended."},
    {"fields", "array", "Which fields to return, all by default."},
    {"dry_run", "boolean", "Only say what would happen."},
    {"since", "string", "Only what changed after this ISO 8601 date."},
    {"owner", "string", "The person who is responsible."},
    {"reason", "string", "Why; stands in the audit log."},
    {"format", "string", "One of csv, json or xlsx."},
    {"notify", "boolean", "Tell the people concerned."},
    {"time_zone", "string", "IANA name of the time zone."},
  };

  private ToolCorpus() {}

  /**
   * The first {@code most} tools, as each server's {@code tools/list} result, by server id in
   * order.
   */
  public static Map<String, JsonObject> servers(int most) {
    Random random = new Random(SEED);
    Map<String, JsonObject> servers = new LinkedHashMap<>();
    int left = most;
    for (String[] service : SERVICES) {
      List<JsonObject> tools = new ArrayList<>();
      for (String thing : service[3].split(",", -1)) {
        for (String[] verb : VERBS) {
          if (left > 0) {
            left--;
            tools.add(tool(service, thing, verb, random));
          }
        }
      }
      if (!tools.isEmpty()) {
        servers.put(service[0], new JsonObject().put("tools", new JsonArray(tools)));
      }
    }
    if (left > 0) {
      throw new IllegalArgumentException("there are only " + (most - left) + " tools");
    }
    return servers;
  }

  private static JsonObject tool(String[] service, String thing, String[] verb, Random random) {
    boolean plural = List.of("list", "search", "export", "count").contains(verb[0]);
    String words = verb[0] + " " + (plural ? plural(thing) : thing);
    JsonObject tool = new JsonObject().put("name", named(words, service[1]));
    if (random.nextInt(3) == 0) {
      tool.put("title", words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1));
    }
    if (random.nextInt(20) != 0) {
      String brief = verb[1].formatted(thing, plural(thing), service[2]);
      String wordy = verb[2].formatted(thing, plural(thing), service[2]);
      tool.put("description", random.nextBoolean() ? wordy : brief + " " + wordy);
    }
    return tool.put("inputSchema", schema(thing, plural, random));
  }

  private static JsonObject schema(String thing, boolean plural, Random random) {
    JsonObject properties = new JsonObject();
    if (!plural) {
      String id = thing.replace(' ', '_') + "_id";
      properties.put(
          id, new JsonObject().put("type", "string").put("description", "Id of the " + thing));
    }
    int more = 1 + random.nextInt(4);
    for (int i = 0; i < more; i++) {
      String[] parameter = PARAMETERS[random.nextInt(PARAMETERS.length)];
      properties.put(
          parameter[0],
          new JsonObject().put("type", parameter[1]).put("description", parameter[2]));
    }
    return new JsonObject().put("type", "object").put("properties", properties);
  }

  private static String plural(String thing) {
    if (thing.endsWith("y") && !thing.endsWith("ay") && !thing.endsWith("ey")) {
      return thing.substring(0, thing.length() - 1) + "ies";
    }
    return thing.endsWith("s") || thing.endsWith("x") || thing.endsWith("ch")
        ? thing + "es"
        : thing + "s";
  }

  private static String named(String words, String style) {
    if (!style.equals("camel")) {
      return words.replace(' ', style.equals("snake") ? '_' : '-');
    }
    StringBuilder name = new StringBuilder();
    for (String word : words.split(" ", -1)) {
      name.append(
          name.isEmpty()
              ? word
              : word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1));
    }
    return name.toString();
  }
}
