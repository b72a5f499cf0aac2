"""Word lists of the checks: what is common to every machine and therefore nobody's."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Split a list at white space."""
    return frozenset(text.split())


FILE_ENDING = words(
    """
    cjs class cpp css csv diff gif go gz hpp htm html ico jar java jpeg jpg js json jsx kt lock log map mjs patch
    php png rb scala scss svg swift tar toml ts tsx txt webp whl xml yaml yml zip
    """
)
"""Endings of file names that stand where a domain's ending would."""

LONG_ENDINGS = words(
    """
    academy accountants actor aero africa agency amsterdam apartments app archi army arpa art asia associates
    attorney audio auto bank bar bayern beer berlin best bet bike bio biz blog blue bot boutique brussels build
    builders business buzz cafe camera camp capital cards care careers cash casino catering center chat church city
    claims cleaning clinic clothing cloud club coach codes coffee college cologne com community company computer
    construction consulting contractors cool coop corp coupons credit dance date dental design dev diamonds digital
    direct doctor dog domains earth edu education email energy engineer engineering equipment estate events exchange
    expert express family fan farm fashion film finance financial fit fitness flights florist football forum
    foundation fun fund furniture gallery games garden gifts glass global gmbh gold golf gov graphics green group
    guide guru hamburg health help holdings holiday home homes horse hospital host hotel house icu immo inc
    industries info institute insurance int internal international intra intranet investments jewelry jobs kitchen
    koeln lan land law lawyer lease legal life live llc loan loans local localdomain london love ltd luxury maison
    management market marketing mba media men menu mil mobi moda mom money movie museum music name navy net network
    new news ngo ninja nyc observer one online ooo org page paris partners party photo photos pics pictures pizza
    place plumbing plus poker press private pro productions promo properties pub recipes red rent rentals repair
    report restaurant reviews rich rip rocks run sale sarl school schule science security services sexy shoes shop
    show singles site ski soccer social software solar solutions space sport storage store stream studio style sucks
    supplies supply support surf surgery swiss systems tax taxi team tech technology tel tennis theater tips tires
    today tokyo tools top tours town toys trade training travel tube university vacations ventures vet video villas
    vip vision vote voyage watch website wedding wien wiki wine work works world wtf xyz yoga zone
    """
)
"""Domain endings of more than two letters that addresses commonly have."""

SYSTEM_USERS = words(
    """
    __token__ about adm admin administrator agent alice.example all anaconda anaconda3 anonymous apache api api-key
    apikey app applications appuser assets backup bar baz bearer bin build builder centos ci circleci code coder
    codespace codespaces conda container cron css current_user daemon dashboard data database dbus debian default
    deploy dev developer docker docs ec2-user elastic example fedora foo ftp games git gitlab-ci-token gitpod guest
    home images img index irc jenkins jovyan js kali key kibana lib libraries library linuxbrew list local login
    logstash lp mail man me messagebus miniconda miniconda3 mongo my-user mysql myuser name neo4j news nginx nixbld
    nobody node nonroot oauth oauth2 openhands opt oracle page pages pass password pi pipeline postgres postgresql
    project projects proxy public pyenv rabbitmq redis root runner sa sandbox scott secret service shared site
    someone src sshd staff static steam swe swe-agent sys systemd systemd-network test tester tmp token travis
    ubuntu uname user username username_here users usr uucp vagrant vscode web wheel work workdir worker workspace
    www www-data www-user x-access-token x-token-auth you your-name your-username your_name your_user your_username
    yourname youruser
    """
)
"""Accounts, folders and stand-ins that are nobody's login name."""

KEPT_ADDRESSES = words(
    """
    1.0.0.1 1.1.1.1 10.0.2.2 100.100.100.200 168.63.129.16 169.254.169.254 172.17.0.1 2001:4860:4860::8844
    2001:4860:4860::8888 208.67.220.220 208.67.222.222 2606:4700:4700::1001 2606:4700:4700::1111 8.8.4.4 8.8.8.8
    9.9.9.9
    """
)
"""Public resolvers, metadata services and default bridges."""

KNOWN_HOSTS = words(
    """
    centos cluster.local codespaces container critical debian debug docker envs err error example fatal fedora
    gateway.docker.internal host.containers.internal host.docker.internal hostname info kali
    kubernetes.default.svc.cluster.local kubernetes.docker.internal kubernetes.internal localhost
    localhost.localdomain metadata.google.internal notice raspberrypi runner sandbox svc.cluster.local trace ubuntu
    vagrant version warn warning
    """
)
"""Machine names that every installation has."""

_IBAN = {
    15: "NO",
    16: "BE",
    18: "DK FI FO GL NL",
    19: "MK SI",
    20: "AT BA EE KZ LT LU XK",
    21: "CH HR LI LV",
    22: "BG BH CR DE GB GE IE ME RS VA",
    23: "AE GI IL IQ TL",
    24: "AD CZ ES MD PK RO SA SE SK TN VG",
    25: "PT",
    26: "IS TR",
    27: "FR GR IT MC MR SM",
    28: "AL AZ BY CY DO GT HU LB PL SV",
    29: "BR EG PS QA UA",
    30: "JO KW MU",
    31: "MT SC",
    32: "LC",
}
IBAN_LENGTH = {country: length for length, countries in _IBAN.items() for country in countries.split()}
"""Length of a bank account number by country (ISO 13616 registry)."""

VENDORS = words(
    """
    adafruit adobe agora ai21 airbrake aiven algolia alibaba amplitude anypoint apify apollo appcenter artifactory
    asana assemblyai atlassian auth0 azure beamer bitbucket bitly bitrise blynk box braintree branchio browserstack
    bugsnag buildkite buttercms calendly censys chartmogul circleci ciscomeraki clarifai clearbit clickup clojars
    cloudant cloudflare cloudinary cockroach codacy codeclimate codecov cohere coinbase confluent contentful
    coveralls crowdstrike databricks datadog datagov deepai deepgram deepseek dialpad digicert digitalocean discord
    disqus dnsimple doppler drone dropbox duffel dynatrace easypost elastic elevenlabs etsy eventbrite facebook
    fastly figma finicity finnhub firebase fireworks flickr flutterwave foursquare frameio freshbooks freshdesk
    fullstory gemini geoapify getresponse ghost gitea gitter gnews gocardless grafana groq harness hashicorp
    helpscout heroku hotjar hubspot hunter ibm infura instagram intercom ionic ipdata ipinfo ipstack jenkins jfrog
    jira jotform jumpcloud keygen klaviyo kraken kucoin langfuse launchdarkly lemlist linear linkedin linode lob
    locationiq logdna logentries loggly logz lokalise mailchimp mailgun mailjet mailmodo mandrill mapbox mapquest
    maxmind messagebird microsoft mistral mixpanel monday moosend mux netlify newrelic newsapi ngrok notion npmjs
    nytimes okta onesignal openweather opsgenie optimizely packagecloud pagerduty pastebin paypal pendo percy
    pinecone pingdom pinterest pivotaltracker plaid planetscale plivo polygon posthog postman postmark prefect
    pubnub pulumi pushbullet pusher pushover qualys quicknode rapidapi razorpay readme recaptcha redis replicate
    ringcentral rollbar rudder salesforce samsara sauce scaleway scrapingbee segment semaphore sendbird sendgrid
    sendinblue sentry serpapi shippo shodan shopify sidekiq signalwire skybiometry slack smartsheet snyk softlayer
    sonar sonarqube soundcloud sparkpost splunk spotify square squarespace stability statuspage storyblok stripe
    stytch sumologic supabase surge surveymonkey svix tableau tailscale tatum telegram telnyx thingspeak
    ticketmaster tiingo tinify todoist together tomtom travis trello twilio twitch twitter typeform typesense
    unsplash uploadcare uptimerobot vercel virustotal vonage vultr wakatime wandb weatherapi weatherstack webex
    webflow weglot wepay wistia woocommerce wordnik workato workos xero yandex yelp youtube zapier zendesk zenrows
    zerobounce zoho zoom
    """
)
"""Services whose keys are plain random runs."""

NO_PASSWORD = words(
    """
    always argon array auth authentication authorization basic bcrypt boolean change changed confirm current default
    disabled empty enabled encrypted error errors expired false field forgot generated given hashed hidden incorrect
    input integer invalid label letters login logout masked message missing needed never none null number object
    optional passphrase passwd password plain plaintext prompt protected provided random redacted removed required
    reset secret stdin string strong system token true undefined unknown unused username valid value varchar weak
    wrong
    """
)
"""Words that stand after `password` without being one."""
