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
    deploy dev developer docker docs ec2-user elastic env envs example fedora foo ftp games git gitlab-ci-token gitpod
    guest home images img index irc jenkins jovyan js kali key kibana lib libraries library linuxbrew list local login
    logstash lp mail man me messagebus miniconda miniconda3 mongo my-user mysql myuser name neo4j news nginx nixbld
    nobody node nonroot oauth oauth2 openhands opt oracle page pages pass password pi pipeline postgres postgresql
    project projects proxy public pyenv rabbitmq redis root runner runneradmin sa sandbox scott secret service shared
    site someone src sshd staff static steam swe swe-agent sys systemd systemd-network test test-user test_user tester
    testuser tmp token travis ubuntu uname user username username_here users usr uucp vagrant venv venvs virtualenv
    virtualenvs vscode web wheel work workdir worker workspace www www-data www-user x-access-token x-token-auth you
    your-name your-username your_name your_user your_username yourname youruser
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
    abuseipdb accuweather activecampaign adafruit adobe adyen agora ahrefs ai21 aikido airbrake airbyte airtable aiven
    akamai aladdin algolia alibaba allegro amplitude anthropic anypoint apideck apify apilayer apitemplate apollo
    appcenter appdynamics appsflyer aqicn arcjet artifactory artsy asana assemblyai atlassian auth0 authy autodesk
    autopilot aweber azure azuredevops backblaze baidu bamboo bannerbear baseten beamer betterstack bitbucket bitfinex
    bitly bitmex bitrise bittrex bitwarden blockchair blockfrost blynk bombbomb box braintree branchio browserbase
    browserless browserstack bugcrowd bugsnag buildkite buttercms calendly cartesia carto censys cerebras chargebee
    chargify chartmogul checkmarx checkout chroma cielo circleci ciscomeraki civo clarifai clearbit clerk clickup
    clockify clockwork clojars cloudant cloudconvert cloudelements cloudflare cloudinary cloudsight cloudsmith cockroach
    codacy codeclimate codecov codemagic codesandbox cohere coinapi coinbase coincap coinlayer coinmarketcap commercejs
    commercetools composio configcat confluence confluent contentful contentstack convertkit couchbase courier coursera
    covalent coveralls crossmint crowdin crowdstrike currencylayer customerio cypress dailymotion dareboost data.gov
    databento databricks datadog datagov debounce deepai deepgram deepl deepnote deepseek definednetworking delighted
    descope detectify devcycle dialpad digicert digitalocean discord disqus dnsimple docparser documo docusign doppler
    dotdigital drone droneci dropbox duffel dwolla dynatrace dyspatch easypost edamam eightxeight elastic elevenlabs
    emailoctopus ethplorer etsy eventbrite everhour exchangerate ezyinsights facebook fal-ai fal_ai fastly figma
    finicity finnhub firebase fireworks fixerio flickr flightapi flowlu flutterwave formbricks foursquare frameio
    freshbooks freshdesk fullcontact fullstory gcore geckoboard gemini gengo geoapify geocodio getgist getresponse ghost
    giphy gitea gitter gleap gnews gnosis gocardless goodreads govee grafana graphcms groovehq groq gumroad gusto gyazo
    happyscribe harness hashicorp helicone helius helpscout heroku heygen highnote hivemq honeycomb hotjar hubspot
    huggingface hunter hybridanalysis hyperbolic ibm ifttt imgbb imgur infobip infomaniak infracost infura insightly
    instabot instagram instantly instatus intercom intra42 intrinio invision ionic ip2location ipapi ipdata
    ipgeolocation ipinfo ipqualityscore ipstack iterable jdoodle jenkins jfrog jina jira jotform jsonbin jumpcloud kagi
    kayako keen keygen kickbox klaviyo klipfolio kraken kucoin lambdatest langfuse lastfm launchdarkly lemlist lighton
    lightstep linear linkedin linode liveblocks livekit lob locationiq logdna logentries loggly loginradius logz
    lokalise looker luno mailboxlayer mailchimp mailerlite mailgun mailjet mailmodo mailsac mandrill mapbox mapquest
    marketo marketstack mattermost maxmind mem0 memfault meraki mergify messagebird metaapi metabase microsoft midtrans
    minimax mistral mixcloud mixpanel mollie monday mongodb moonclerk moonpay moosend moralis mux naver nebius netlify
    neutrino new-relic new_relic newrelic newsapi nexmo nextcloud ngrok nicereply nightfall notion novita npmjs nvidia
    nylas nytimes ocrspace okta ollama omnisend onedesk onelogin onesignal onfido onfleet onwater oopspam opencage
    opencagedata openrouter openshift openweather openweathermap opsgenie optimizely packagecloud packagist paddle
    pagarme pagerduty pandadoc paperform parsehub parseur partnerstack pastebin paypal paystack pdflayer pendo
    peopledatalabs pepipost percy perigon perplexity pinata pinecone pingdom pinterest pipedream pipedrive
    pivotaltracker plaid planetscale planviewleankit plivo podio pollsapi polygon positionstack posthog postman postmark
    prefect private-ai privateai prodpad promptlayer proxycrawl pubnub pulumi purestake pushbullet pusher pushover pyowm
    qase qdrant quaderno qualys quicknode rainforest rapidapi rawg raygun razorpay reachmail readme recaptcha redash
    reddit redis refiner repairshopr replicate resend restpack retell revenuecat ringcentral ringover riskiq rocketreach
    rollbar roninapp rootly rownd rspamd rudder runpod runway salesforce sambanova samsara satismeter sauce saucelabs
    scaleway scalr scrapeowl scraperapi scraperbox scrapestack scrapfly scrapingbee screenshotapi scw securitytrails
    segment selectpdf semaphore sendbird sendgrid sendinblue sentry serpapi serper serphouse serpstack sherpadesk shippo
    shodan shopify sidekiq signable signalwire signaturit signwell siliconflow simplynoted simvoly sinch sirv siteleaf
    skrapp skybiometry skylight slack smartling smartsheet smartystreets smooch snowflake snyk softlayer solcast sonar
    sonarqube sonatype soundcloud sourcegraph sparkpost speechmatics splunk spoonacular sportsmonk spotify square
    squarespace sslmate stability statuscake statuspage stormglass storyblok storychief strapi strava stripe stripo
    stytch sumo sumologic supabase supernotes surge surveymonkey surveysparrow survicate svix swiftype tableau tailscale
    tatum tavily teamgate telegr telegram telesign telnyx text2data textmagic theoddsapi thingspeak thinkific
    ticketmaster tickettailor tiingo timezoneapi tinify tly tmdb tmetric todoist together tomtom tradier travelpayouts
    travis trello turso twilio twitch twitter tyntec typeform typesense typetalk ubidots uipath unkey unplugg unsplash
    upcdatabase uplead uploadcare uploadthing upstage upstash uptimerobot urlscan uservoice vatlayer vbout vectara
    vercel verifalia veriphone versioneye viewneo virustotal visualcrossing voicegain volcengine vonage vouchery
    voyageai vultr wakatime wandb watsonx weatherapi weatherstack weaviate webex webflow webscraper websitepulse weglot
    wepay wistia woo woocommerce wordnik wordpress workato workos worksnaps worldcoinindex worldweather wrike xai xata
    xero yandex yelp youneedabudget yousign youtube zapier zendesk zenkit zenrows zenscrape zenserp zeplin zerobounce
    zeroheight zerotier zhipu zipcodeapi zoho zonkafeedback zoom zuplo
    """
)
"""Services whose keys are plain random runs."""

COMMON_NAMES = words(
    """
    apollo beamer box cartesia checkout chroma clerk civo clockwork courier cypress doppler drone elastic fastly
    facebook fireworks gemini ghost github gitlab harness hunter instantly ionic keygen linear linkedin linode looker
    microsoft mistral monday mongodb mux newrelic notion pastebin percy pinterest polygon reddit redis replicate
    retell runway segment semaphore sentry snowflake sonar square stability strava sumo surge tableau telegram
    together travis twitter wordpress youtube zoom
    """
)
"""Services that are words too, or that people write about: after their name alone stands anything."""

NO_PASSWORD = words(
    """
    always argon array auth authentication authorization basic bcrypt boolean change changed confirm current default
    disabled empty enabled encrypted error errors expired false field forgot generated given hashed hidden incorrect
    input integer invalid label login logout masked message missing needed never none null number object
    optional passphrase passwd password plain plaintext prompt protected provided random redacted removed required
    reset secret stdin string strong system token true undefined unknown unused username valid value varchar weak
    wrong
    """
)
"""Words that stand after `password` without being one."""

NO_SECRET = words(
    """
    administrator after allowed application argument asterisk attribute available because before between boundary
    callback cannot characters checked column combination complete configured confirmation connection container
    contains content correctly create created credential credentials customer decrypted default deleted deprecated
    description details development different disabled doesnotmatch either element encryption endpoint entered
    environment example examples exists expected external failed failure follow format formfield found function
    generate handled header identifier include includes incomplete indicates information inline internal isempty
    isvalid keyring keyword length lmstudio locked mandatory manager matches maximum memory method minimum mismatch
    module nothing nullable numeric ollama option options openai parameter permission personal physical policy
    possible present previous primary private process production project property protection provider public
    question rather readonly reference refresh regular rejected request requirement requires response restricted
    return returned returns rotated sandbox schema sensitive separate server service session setting settings should
    simple skipped source special specified staging standard started status stored struct subject success supplied
    supported switch symbol template temporary testing together tokenizer twofactor undefined uniqueness unicode
    unchanged unsafe update updated validation validator variable verification verified verify version whatever
    whether whitespace without
    contrasena contraseña erforderlich errata esquecida falsch forgotten geheim incorrecta incorreta ingresar
    introduzca kennwort kennworts kodeord lösenord obligatoire obligatoria obligatorio obrigatória onjuist oubliée
    passwort passworts richiesta requis requise requerida salasana senha ungültig vereist vergessen vergeten
    wachtwoord
    bitlocker bitwarden camelcase devops filevault github gitlab graphql javascript keepass lastpass linkedin mongodb
    onepassword pascalcase postgresql typescript youtube
    """
)
"""Words of messages, types and forms that stand where a secret would."""

IDENTIFIER_PARTS = words(
    """
    action annotation any api array async auth authentication authorization base bearer bool boolean buffer builder
    button bytes callback char check checker class client cls code column component config confirm container context
    control controller count create cred credential credentials current data decode decoded default delete descriptor
    edit element email encode encoded encoder encrypt encrypted entity entry enum env error event exception factory
    false field file final form format forgot from func function generate generated generator get getter grid group
    handler has hash hashed hasher header helper hidden html http icon id index info input instance int integer
    interface invalid is item iterator javascript json key keys kind label layout length list literal login map
    manager mapper message method middleware missing mock model module name new node none null number object option
    optional options page panel param parameter params parse parser pass passphrase password path pattern policy
    prompt property props protocol provider pwd query random read reader record ref regex request required reset
    resolver response result route schema screen secret secure serializer service session set setter settings show
    sql stack state status store str strategy stream string strong struct style table tag task template test text
    token tokens type typescript undefined union unique update uri url user username util valid validate validation
    validator value values var variable verify version view widget wrapper write writer
    """
)
"""Parts of names in code: a camel-case word with one of them is an identifier."""
